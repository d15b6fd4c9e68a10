"""Loggers of others that take what `log_to` hands over."""

import csv
from pathlib import Path

import pytest

from test_tracking import records

loggers = pytest.importorskip("lightning.pytorch.loggers")


@pytest.mark.filterwarnings("ignore")  # those of Lightning and what it loads
def test_a_logger_of_lightning_takes_all_together(tmp_path: Path) -> None:
    record = records()["decisions"]
    logger = loggers.CSVLogger(str(tmp_path), name="run")
    record.log_to(logger.log_metrics, together=True, prefix="val/", step=3)
    logger.save()
    (file,) = tmp_path.rglob("metrics.csv")
    with file.open() as stream:
        (row,) = csv.DictReader(stream)
    assert row.pop("step") == "3"
    assert {name.removeprefix("val/"): float(x) for name, x in row.items()} == record.flat_metrics()
