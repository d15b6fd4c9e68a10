"""The notebook of the four journeys, run in a real kernel and exported as HTML."""

import copy
from pathlib import Path
from typing import Any

import pytest

from notebook import kernel_environment

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
nbconvert = pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Jupyter's own libraries
NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebooks" / "four-journeys.ipynb"


@pytest.fixture(scope="module")
def committed() -> Any:  # noqa: ANN401
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(committed: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401
    """Return the notebook with the outputs of its cells."""
    book, folder = copy.deepcopy(committed), tmp_path_factory.mktemp("notebook")
    place = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=place)
    return client.execute(env=kernel_environment())


def outputs(book: Any) -> list[Any]:  # noqa: ANN401
    return [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs]


def test_the_committed_notebook_holds_no_outputs(committed: Any) -> None:  # noqa: ANN401
    nbformat.validate(committed)
    assert outputs(committed) == []


def test_every_cell_runs_and_warns_of_nothing(executed: Any) -> None:  # noqa: ANN401
    assert [out for out in outputs(executed) if out.output_type == "error"] == []
    assert [out.text for out in outputs(executed) if out.get("name") == "stderr"] == []


def test_each_record_shows_itself_once(executed: Any) -> None:  # noqa: ANN401
    """A cell shows one page, one table or one picture, not two, and no array is dumped."""
    for cell in executed.cells:
        if cell.cell_type != "code":
            continue
        shown = [out for out in cell.outputs if out.output_type != "stream"]
        assert len(shown) <= 1, cell.source
        for out in shown:
            text = out.data["text/plain"]
            assert len(text.splitlines()) < 60, cell.source
            assert "array(" not in text, cell.source


def test_pages_and_pictures_are_in_the_export(executed: Any) -> None:  # noqa: ANN401
    page, _ = nbconvert.HTMLExporter().from_notebook_node(executed)
    frames = [out.data["text/html"] for out in outputs(executed) if "<iframe" in str(out)]
    pictures = [out for out in outputs(executed) if "image/png" in out.get("data", {})]
    assert len(frames) >= 2
    assert len(pictures) >= 3
    assert page.count("<iframe") == len(frames)
    assert all(out.data["image/png"].replace("\n", "")[:200] in page for out in pictures)
    assert not any('loading="lazy"' in frame for frame in frames)


def test_advice_names_python_calls(executed: Any) -> None:  # noqa: ANN401
    said = "".join(str(out.get("text", "")) for out in outputs(executed))
    assert "FILE" not in said
    assert "--" not in said
