"""Cost matrices: what they answer, how they are shown, and their two text forms."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from stakes import CostMatrix

TUMOUR = CostMatrix(
    [[0, 1, 0.25], [5, 0, 0.5]],
    classes=["healthy", "tumour"],
    decisions=["send home", "operate", "more tests"],
)

names = st.one_of(
    st.lists(st.integers(-5, 99), min_size=2, max_size=4, unique=True),
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1),
        min_size=2,
        max_size=4,
        unique=True,
    ),
)
prices = st.one_of(st.integers(0, 10**6).map(float), st.floats(0, 1e300))


@st.composite
def matrices(draw: st.DrawFn) -> CostMatrix:
    classes, decisions = draw(names), draw(names)
    k, m = len(classes), len(decisions)
    values = draw(st.lists(st.lists(prices, min_size=m, max_size=m), min_size=k, max_size=k))
    return CostMatrix(values, classes=classes, decisions=decisions)


@given(costs=matrices())
def test_toml_keeps_every_bit(costs: CostMatrix, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("costs") / "costs.toml"
    costs.write(path)
    assert CostMatrix.read(path) == costs


@given(costs=matrices())
def test_csv_keeps_every_bit_or_says_why_it_cannot(
    costs: CostMatrix, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("costs") / "costs.csv"
    try:
        costs.write(path)
    except stakes.InputError as error:
        assert "TOML" in str(error)  # noqa: PT017
        assert not path.exists()
    else:
        assert CostMatrix.read(path) == costs


def test_the_toml_form_names_every_cell(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    TUMOUR.write(path)
    assert path.read_text().splitlines()[1:] == [
        "stakes-costs = 1",
        'classes = ["healthy", "tumour"]',
        'decisions = ["send home", "operate", "more tests"]',
        "",
        '[costs."healthy"]',
        '"send home" = 0',
        '"operate" = 1',
        '"more tests" = 0.25',
        "",
        '[costs."tumour"]',
        '"send home" = 5',
        '"operate" = 0',
        '"more tests" = 0.5',
    ]


def test_the_csv_form_says_which_side_is_the_truth(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    TUMOUR.write(path)
    assert path.read_text() == (
        "truth,send home,operate,more tests\nhealthy,0,1,0.25\ntumour,5,0,0.5\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.toml", "classes = [", ["a.toml", "TOML"]),
        ("a.toml", "classes = [1]", ["a.toml", "stakes-costs = 1"]),
        ("a.toml", "stakes-costs = 1\nclasses = []", ["classes", "[]"]),
        (
            "a.toml",
            "stakes-costs = 1\nclasses = ['a','b']\ndecisions = ['x']\n[costs.a]\nx = 1",
            ["costs", "lacks 'b'"],
        ),
        (
            "a.toml",
            "stakes-costs = 1\nclasses = ['a']\ndecisions = ['x']\n[costs.a]\nx = 1\ny = 2",
            ["costs.a", "undeclared 'y'"],
        ),
        (
            "a.toml",
            "stakes-costs = 1\nclasses = ['a']\ndecisions = ['x']\n[costs.a]\nx = '1'",
            ["numbers", "'1'", "'x'"],
        ),
        (
            "a.toml",
            "stakes-costs = 1\nclasses = ['a']\ndecisions = ['x']\n[costs.a]\nx = -1",
            ["costs", "-1", "utilities"],
        ),
        ("a.csv", "decision,a,b\nx,1,2\n", ["truth", "decision"]),
        ("a.csv", "", ["truth"]),
        ("a.csv", "truth,a,b\nx,1\n", ["line 2", "3 fields", "2 fields"]),
        ("a.csv", "truth,a,b\nx,1,y\n", ["line 2", "'b'", "'y'"]),
        ("a.txt", "", ["a.txt", ".toml", ".csv"]),
    ],
)
def test_a_bad_cost_file_is_refused(name: str, text: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(stakes.InputError) as caught:
        CostMatrix.read(path)
    assert [w for w in words if w not in str(caught.value)] == [], str(caught.value)


def test_a_missing_file_and_a_bad_target(tmp_path: Path) -> None:
    with pytest.raises(stakes.FileError, match="No such file"):
        CostMatrix.read(tmp_path / "none.toml")
    with pytest.raises(stakes.FileError, match="cannot write"):
        TUMOUR.write(tmp_path / "none" / "costs.toml")
    with pytest.raises(stakes.InputError, match=r"\.toml"):
        TUMOUR.write(tmp_path / "costs.json")


def test_leading_zeros_are_names(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("truth,007,7\n1,0,1\n2,1,0\n")
    costs = CostMatrix.read(path)
    assert costs.decisions == ("007", "7")
    assert costs.classes == (1, 2)


def test_an_older_file_stays_whole_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "costs.toml"
    path.write_text("precious")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(stakes.FileError, match="No space left"):
        TUMOUR.write(path)
    assert path.read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["costs.toml"]


def test_thresholds_odds_and_effective_prior() -> None:
    costs = CostMatrix.binary(miss=5, false_alarm=1)
    assert costs.threshold() == 1 / 6
    assert costs.odds([0.9, 0.1]) == pytest.approx(1.8)
    assert costs.llr_threshold([0.9, 0.1]) == pytest.approx(math.log(1.8))
    assert costs.effective_prior([0.9, 0.1]) == pytest.approx(0.5 / 1.4)
    assert costs.llr_threshold([0, 1]) == -math.inf
    assert costs.llr_threshold([1, 0]) == math.inf
    assert costs.effective_prior([1, 0]) == 0
    assert CostMatrix.zero_one(2).threshold() == 0.5


def test_regret_is_least_zero_in_each_row_and_keeps_decisions() -> None:
    costs = CostMatrix([[3, 1], [2, 8]])
    assert costs.regret().values.tolist() == [[2, 0], [0, 6]]
    assert costs.regret().naive([0.5, 0.5])[0] == costs.naive([0.5, 0.5])[0]


def test_utilities_become_regrets() -> None:
    costs = CostMatrix.from_utilities([[10, -5], [0, 100]], classes=["good", "fraud"])
    assert costs.values.tolist() == [[0, 15], [100, 0]]
    assert costs.classes == ("good", "fraud")


def test_balanced_costs() -> None:
    costs = CostMatrix.balanced(["a", "b"], {"a": 0.9, "b": 0.1})
    np.testing.assert_allclose(costs.values, [[0, 1 / 1.8], [5, 0]])


def test_ties_go_to_the_lowest_index() -> None:
    assert CostMatrix.zero_one(3).naive([0.25, 0.5, 0.25])[0] == 1
    assert CostMatrix.zero_one(3).naive([0.375, 0.375, 0.25])[0] == 0
    assert CostMatrix([[1, 1], [1, 1]]).naive([0.5, 0.5])[0] == 0
    assert CostMatrix.zero_one(2, abstain=0.5).naive([0.5, 0.5])[0] == 0
    assert CostMatrix.zero_one(2, abstain=0.25).naive([0.5, 0.5])[0] == 2


def test_abstaining_has_a_name_of_its_own_beside_numbers(tmp_path: Path) -> None:
    costs = CostMatrix.zero_one(10).with_abstention(0.2)
    assert costs.decisions == (*range(10), "abstain")
    y, p = np.arange(10), np.full((10, 10), 0.1)
    assert "always answers abstain" in str(stakes.bayes_cost(y, p, costs=costs))
    chosen = costs.bayes_decisions(p, indices=True)
    named = costs.bayes_decisions(p).tolist()
    assert set(named) == {"abstain"}
    by_index, by_name = (stakes.expected_cost(y, d, costs=costs) for d in (chosen, named))
    assert by_index.value == by_name.value == pytest.approx(0.2)
    some = stakes.expected_cost([0, 1, 2], [0, "abstain", 1], costs=costs)
    assert some.value == pytest.approx(1.2 / 3)
    for form in ("costs.toml", "costs.csv"):
        costs.write(tmp_path / form)
        again = CostMatrix.read(tmp_path / form)
        assert (again.classes, again.decisions) == (costs.classes, costs.decisions)
    other = CostMatrix.zero_one([1, 2, 3]).with_abstention(0.2)
    assert stakes.expected_cost([1, 3], [3, 3], costs=other).value == 0.5  # 3 is the class
    for wrong in ([3, 4], ["abstan", 1], [None, "abstain"]):
        with pytest.raises(stakes.InputError, match="y_pred"):
            stakes.expected_cost([1, 3], wrong, costs=other)
    with pytest.raises(stakes.InputError, match="duplicate"):
        costs.with_abstention(0.1)


def test_a_cost_matrix_never_changes() -> None:
    with pytest.raises(AttributeError, match="never changes"):
        TUMOUR.classes = ("a", "b")  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(TUMOUR)) == TUMOUR  # noqa: S301
    assert CostMatrix.zero_one(2) == CostMatrix([[0, 1], [1, 0]])
    assert CostMatrix.zero_one(2) != CostMatrix([[0, 1], [2, 0]])
    assert TUMOUR != "costs"


def test_hostile_names_are_shown_harmlessly() -> None:
    costs = CostMatrix([[0, 1], [1, 0]], classes=["<script>alert(1)</script>", "a\u202eb\x1b[2J"])
    assert "\x1b" not in repr(costs)
    assert "\u202e" not in repr(costs)
    assert "<script>" not in costs._repr_html_()
    assert "&lt;script&gt;" in costs._repr_html_()
    long = CostMatrix([[0, 1], [1, 0]], classes=["a" * 10_000, "b"])
    assert max(map(len, repr(long).splitlines())) < 100


def test_a_large_matrix_is_cut_and_a_huge_one_is_not_written_out() -> None:
    large = CostMatrix.zero_one(300)
    assert "first 20 of (300, 300)" in repr(large)
    huge = CostMatrix.zero_one(200_000)
    assert "first 20" in repr(huge)
    with pytest.raises(stakes.InputError, match="written out"):
        _ = huge.values
