"""stakes answers with several models: the leaderboard and what can be said of it."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from stakes._text import interval_name, number, percent, plain
from stakes.cli.answer_models import Models
from stakes.cli.answer_request import AnswerRequest
from stakes.cli.answers_screen import plain_origin, print_origin, print_verdicts
from stakes.cli.github import verdict_annotations
from stakes.cli.messages import refuse
from stakes.cli.outputs import Cell, Document
from stakes.cli.screen import Screen
from stakes.cli.table_request import WHOLE
from stakes.evaluation.verdicts.wording import counted, p_number
from stakes.responses import ResponseComparison, SliceComparison, compare_responses

_SHOWN = 12  # pairs or slices on one screen
_PAIRS = 3  # of models, up to which all differences are shown
_BOARD = {  # heading of a column of the leaderboard, on a screen
    "answered": "answers",
    "answered_accuracy": "accuracy",
    "hallucination_rate": "halluc.",
    "nec": "NEC",
}


@dataclass(frozen=True, eq=False)
class _Compared:
    """A comparison with how its rows were read."""

    made: ResponseComparison
    models: Models
    details: bool

    @property
    def facts(self) -> str:
        """How many questions and models, with which seed."""
        some = next(iter(self.made.evaluations.values())).responses
        groups = "" if some.groups is None else f" in {len(set(some.groups.tolist()))} groups"
        n = f"{len(some)} questions" if not groups else f"{len(some)} responses each{groups}"
        return f"{n}, {len(self.made.systems)} models, seed {self.made.seed}"

    def draw(self, screen: Screen) -> None:
        """Print the comparison on one screen."""
        made = self.made
        screen.head(self.models.source, self.facts)
        screen.put(f"{'target':<8} {str(made.target).removeprefix('target ')}")
        print_origin(screen, self.models.origin)
        screen.print()
        print_verdicts(screen, made.verdicts)
        self._board(screen)
        self._pairs(screen)
        if made.slices:
            self._slices(screen)
        for note in self.models.notes:
            screen.notes([note])

    def _board(self, screen: Screen) -> None:
        heads = ("    model", "utility", interval_name(self.made.level), *_BOARD.values())
        rows = []
        for row in self.made.leaderboard():
            found = self.made.evaluations[row["system"]].numbers["utility"]
            mark = "*" if row["may_be_best"] else " "
            name = f"{row['rank']:>2}{mark} {plain(row['system'], 14)}"
            shares = [_share(row[key]) for key in list(_BOARD)[:-1]]
            band = str(found.interval or "")
            rows.append((name, number(found.value), band, *shares, number(row["nec"])))
        screen.table(heads, rows)
        screen.say(
            "*: may be the best, since no other is shown to have higher utility. Accuracy: of the"
            " answers; halluc.: share of wrong answers among responses that are not right; NEC:"
            " normalised cost, lower is better; 1 is the better of always and never answering.",
            "dim",
        )

    def _pairs(self, screen: Screen) -> None:
        """Print differences: all of few models, of many those to the first of the ranking."""
        made = self.made
        pairs = list(combinations(made.ranking, 2))  # those with the first come first
        if len(made.systems) > _PAIRS and not self.details:
            pairs = pairs[: len(made.systems) - 1]
        shown = pairs if self.details else pairs[:_SHOWN]
        rows = []
        for one, two in shown:
            found = made.of(one, two)
            band = str(found.gain.interval or "")
            rows.append((f"{plain(one, 18)} − {plain(two, 18)}", number(found.gain.value),
                         band, p_number(found.adjusted_p_value)))  # fmt: skip
        screen.print()
        screen.table(("difference in utility", "value", interval_name(made.level), "p"), rows)
        if len(shown) < len(made.differences):
            text = f"({len(shown)} of {len(made.differences)} pairs; --details shows all)"
            screen.print(text)
        screen.say(
            f"p: adjusted by Holm's method, for {counted(len(made.differences), 'pairs')}.", "dim"
        )

    def _slices(self, screen: Screen) -> None:
        slices = self.made.slices
        shown = slices if self.details else slices[:_SHOWN]
        names = self.made.ranking[:4]
        heads = ("utility by slice", "questions", *(plain(name, 12) for name in names), "best")
        screen.print()
        screen.table(heads, [_slice_row(part, names) for part in shown])
        if len(shown) < len(slices):
            screen.print(f"({len(shown)} of {len(slices)} slices; --details shows all)")
        if len(names) < len(self.made.systems):
            screen.print(f"(the first {len(names)} of {len(self.made.systems)} models)")


def _slice_row(part: SliceComparison, names: tuple[str, ...]) -> tuple[str, ...]:
    return (
        f"{plain(part.column, 10)} {plain(part.value, 14)}",
        str(part.responses),
        *(number(part.utility[name].value) for name in names),
        "unclear" if part.best is None else plain(part.best, 12),
    )


def _share(share: float) -> str:
    return "undefined" if share != share else f"{percent(share, 1)} %"  # noqa: PLR0124  NaN


def compared_document(models: Models, request: AnswerRequest) -> Document:
    """Compare models and return the comparison in every form."""
    options = request.options
    if request.risk is not None:
        refuse("--risk is for one model: compare several without it.")
    made = compare_responses(
        models.responses, request.target, slices=models.slices or None, **request.stage
    )
    found = _Compared(made, models, options.details)
    more: dict[str, Any] = {"origin": plain_origin(models.origin), "notes": list(models.notes)}
    return Document(
        command="answers",
        body={**made.to_dict(), **more},
        source=models.source,
        read=WHOLE,
        facts=found.facts,
        rows=_board_rows(made),
        sentences=[str(verdict) for verdict in made.verdicts],
        draw=found.draw,
        page=lambda: made.to_html(title=options.title, source=models.source, date=options.date),
        commands={},  # its verdicts ask for none
        annotations=verdict_annotations("answers", made.verdicts),
    )


def _board_rows(made: ResponseComparison) -> list[list[Cell]]:
    """Return the leaderboard as rows under the names of its columns."""
    board = made.leaderboard()
    heads: list[Cell] = ["model" if name == "system" else name for name in board[0]]
    rows = [[_cell(value) for value in row.values()] for row in board]
    return [heads, *rows]


def _cell(value: Any) -> Cell:  # noqa: ANN401  of a leaderboard
    if isinstance(value, bool):
        return "yes" if value else "no"
    cell: Cell = value
    return cell
