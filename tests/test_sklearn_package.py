"""stakes.sklearn loads scikit-learn when it is used, and says what to install."""

import subprocess
import sys

import pytest

USE = "from stakes.sklearn import sklearn_library"
MISSING = "import sys; sys.modules['sklearn'] = None"
OLD = "import sklearn; sklearn.__version__ = '1.5.2'"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )


def test_the_package_alone_does_not_load_scikit_learn() -> None:
    done = run("import stakes, sys; stakes.sklearn; assert 'sklearn' not in sys.modules")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (MISSING, "stakes.sklearn needs scikit-learn, which cannot be imported"),
        (OLD, "stakes.sklearn needs scikit-learn 1.6 or newer: got 1.5.2."),
    ],
)
def test_without_a_recent_scikit_learn_the_error_says_what_to_install(
    before: str, said: str
) -> None:
    last = run(f"{before}\n{USE}").stderr.splitlines()[-1]
    assert last.startswith(f"stakes._errors.MissingExtraError: {said}")
    assert last.endswith("Install it with: pip install 'stakes[sklearn]'")
