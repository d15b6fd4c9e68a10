"""Every planted defect quotes the source, so that `make planted` can plant it."""

from pathlib import Path

from planted_defects import DEFECTS

SOURCE = Path(__file__).parents[1] / "src" / "stakes"


def test_every_defect_quotes_the_source_and_changes_it() -> None:
    texts = {file: (SOURCE / file).read_text(encoding="utf-8") for file, *_ in DEFECTS}
    assert [(file, right) for file, right, *_ in DEFECTS if right not in texts[file]] == []
    assert [row for row in DEFECTS if row[1] == row[2]] == []
