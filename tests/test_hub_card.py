"""Model cards, read back by the library of the Hugging Face Hub."""

import math
from typing import Any

import pytest

from test_model_card import FULL, GIVEN, NAMES, decisions, evaluation

hub = pytest.importorskip("huggingface_hub")


@pytest.mark.parametrize("record", [evaluation, decisions])
def test_the_hub_reads_every_number_back(record: Any) -> None:
    made = record()
    card = hub.ModelCard(made.to_model_card("My: model | 1", **FULL))
    assert card.data.model_name == "My: model | 1"
    assert (card.data.license, card.data.library_name) == ("apache-2.0", "sklearn")
    assert (card.data.language, card.data.tags) == (["en", "de"], ["a: b", "#c"])
    assert card.data.datasets == ["org/data"]
    found = {result.metric_name: result for result in card.data.eval_results}
    flat = made.flat_metrics()
    assert set(found) == set(made.metrics())
    for name, result in found.items():
        assert (result.task_type, result.dataset_split) == ("tabular-classification", "test")
        assert (result.dataset_type, result.dataset_name) == ("org/data", GIVEN["dataset"])
        if math.isfinite(flat[name]):
            assert result.metric_value == flat[name]
        args = result.metric_args or {}
        ends = [flat.get(f"{name}.{end}") for end in ("low", "high")]
        assert [args.get(end) for end in ("low", "high")] == [
            "inf" if end == math.inf else end for end in ends
        ]


def test_what_the_hub_writes_is_read_again() -> None:
    text = evaluation(NAMES).to_model_card("m", **GIVEN)
    card = hub.ModelCard(text)
    again = hub.ModelCard(str(card))
    assert again.data.to_dict() == card.data.to_dict()
    assert again.text == card.text
    assert card.text.strip().startswith("# m")


def test_odd_names_come_back_as_they_are_shown() -> None:
    odd = "a\u0085b\x7f\ud83d \U0001f600 'q' \"r\" \\n: # - {x} [y] !t &a *b | > % @ `"
    card = hub.ModelCard(evaluation().to_model_card(odd, dataset=odd, task="x"))
    assert (
        card.data.model_name
        == "a\\x85b\\x7f\\ud83d \U0001f600 'q' \"r\" \\n: # - {x} [y] !t &a *b | > % @ `"
    )
    assert {r.dataset_name for r in card.data.eval_results} == {card.data.model_name}
