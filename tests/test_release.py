"""Laws of the script that builds and tries wheels."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "release" / "build_wheels.py"


@pytest.fixture
def build_wheels() -> Any:  # noqa: ANN401
    spec = importlib.util.spec_from_file_location("build_wheels", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("platform", "pure"),
    [("any", True), ("manylinux_2_31_x86_64", False), ("musllinux_1_2_x86_64", False),
     ("macosx_11_0_arm64", False), ("win_amd64", False)],
)  # fmt: skip
def test_a_wheel_of_a_platform_is_not_pure(
    build_wheels: Any,  # noqa: ANN401
    platform: str,
    *,
    pure: bool,
) -> None:
    assert build_wheels.pure(Path(f"stakes-0.1.0-py3-none-{platform}.whl")) is pure


@pytest.mark.parametrize("suite", [False, True])
def test_the_suite_runs_every_test_with_the_wheel_of_the_platform(
    build_wheels: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    suite: bool,
) -> None:
    tried: dict[str, bool] = {}
    names = ["any", "manylinux_2_31_x86_64"]

    def build(folder: Path) -> list[Path]:
        folder.mkdir()
        for name in names:
            (folder / f"stakes-0.1.0-py3-none-{name}.whl").write_bytes(b"wheel")
        return sorted(folder.iterdir())

    def tries(wheel: Path, _python: str, *, suite: bool) -> int:
        tried[wheel.name] = suite
        return 0

    monkeypatch.setattr(build_wheels, "DIST", tmp_path / "dist")
    monkeypatch.setattr(build_wheels, "build", build)
    monkeypatch.setattr(build_wheels, "tried", tries)
    monkeypatch.setattr("sys.argv", ["build_wheels.py", *["--suite"] * suite])
    assert build_wheels.main() == 0
    assert list(tried.values()) == [False, suite]
    assert len(list((tmp_path / "dist").iterdir())) == len(names)


def test_a_python_that_is_not_there_is_named(
    build_wheels: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["build_wheels.py", "--python", "python2.99"])
    with pytest.raises(SystemExit):
        build_wheels.main()
    assert "--python python2.99: there is no such command" in capsys.readouterr().err
