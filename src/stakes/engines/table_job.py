"""Rows of a table added to a summary, or kept of several systems, on any worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stakes.engines.partials import Roundings
from stakes.evaluation import Summary
from stakes.evaluation.summaries.compared_rows import ComparedRows, ScoreForm
from stakes.io import Relation
from stakes.io.batches import Ask
from stakes.io.units import Piece
from stakes.summary.members import Members


@dataclass(frozen=True, eq=False)
class TableJob:
    """What `Summary` is told; or the forms of the scores of several systems, to keep rows."""

    relation: Relation
    told: Mapping[str, Any]
    forms: Mapping[str, ScoreForm] = field(default_factory=dict)
    renormalize = False

    @property
    def ask(self) -> Ask:
        """The columns that are needed."""
        return self.relation.roles.ask()

    def fresh(self) -> Summary | ComparedRows:
        """Return a sum without rows."""
        roles = self.relation.roles
        weighted, grouped = roles.weight is not None, roles.group is not None
        if self.forms:
            members = Members(weighted, grouped, roles.amounts)
            return ComparedRows(self.told["classes"], self.forms, members=members)
        return Summary(
            scores=self.relation.kind,
            weighted=weighted,
            grouped=grouped,
            slices=roles.slices,
            **self.told,
        )

    def add(self, total: Summary | ComparedRows, piece: Piece) -> Roundings:
        """Add rows, and tell how the scores of each system were rounded."""
        added = self.relation.add(total, piece)
        return {name: scores.rounding for name, scores in added.items()}
