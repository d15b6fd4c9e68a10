"""stakes decide: Bayes decisions for the scores in a file."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._text import number, percent, plain, plain_list
from stakes.cli import table_rewriting as rewriting
from stakes.cli.cost_text import CostText, read_costs
from stakes.cli.messages import note, refuse, wrote
from stakes.cli.options import Options
from stakes.cli.outputs import Document, show
from stakes.cli.parsing import class_names, score_columns, training_priors
from stakes.cli.places import told_in_place
from stakes.evaluation.deciding import Decisions, ReviewLevels, decide
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.scores import Posteriors, Scores


def run(options: Options) -> None:
    """Append posteriors, the Bayes decision and its expected cost to the rows of a file."""
    rewriting.check(options)
    rule = _Rule(options)
    rows, (counts, cost) = rewriting.rewrite(options, rule.ask, rule.write)
    n = counts.total()
    mean_cost = float(cost.total()[0]) / n
    shares = {name: count / n for name, count in counts.items()}
    body = {
        "samples": n,
        "seed": None,
        "classes": rule.names,
        "decisions": shares,
        "mean_expected_cost": mean_cost,
        "output": Path(str(options.output)).name,
    }
    sentences = [
        f"{plain(name):<20} {count} of {n} ({percent(shares[name], 1)} %)"
        for name, count in counts.items()
    ]
    sentences.append(f"{'mean expected cost':<20} {number(mean_cost)}")
    show(Document("decide", body, rows.source, rows.read, sentences=sentences), options)
    wrote(str(options.output))


class _Rule:
    def __init__(self, options: Options) -> None:
        fitted = options.calibrator_file
        self._options = options
        self._calibrator = None if fitted is None else rewriting.read_calibrator(fitted)
        self._text = read_costs(options.cost, options.abstain) or CostText()
        known = self._text.classes
        if self._calibrator is not None:
            known = [str(name) for name in self._calibrator.classes]
        self._columns = class_names(options.classes, str(options.scores), None, known)
        self.names = known or self._columns
        prices = self._text.columns
        numbers = dict.fromkeys([*score_columns(str(options.scores)), *prices])
        self.ask = Ask((), tuple(numbers), tuple(prices))
        if self._calibrator is None:
            return
        at = self._calibrator.training_priors_text
        if options.training_prior is not None:
            msg = "--training-prior has no effect with a calibrator, which knows its own"
            refuse(f"{msg} ({at}): leave it out.")
        if options.prior is None and self._calibrator.training_priors is not None:
            note(f"posteriors are at the priors of the calibrator, {at}; --prior adapts them.")

    def write(self, rows: rewriting.TableRows) -> tuple[Counter[str], ExactSums]:
        """Write all rows; return how often each decision is made, and what all are to cost."""
        cut, prefix = self._cut(rows), self._options.prefix
        counts: Counter[str] = Counter()
        cost = ExactSums(1)  # the same for any batches

        def made(table: Columns) -> dict[str, Any]:
            decided = self._decide(table, rows)
            decided = decided if cut is None else decided.above(cut)
            counts.update({str(name): count for name, count in decided.counts.items()})
            cost.add(np.zeros(decided.indices.size, dtype=np.int8), decided.expected)
            new = {f"posterior_{c}": decided.posteriors[:, k] for k, c in enumerate(self.names)}
            names = np.array([str(d) for d in decided.decisions])
            new |= {"decision": names[decided.indices], "expected_cost": decided.expected}
            return {f"{prefix}{name}": values for name, values in new.items()}

        rows.write(made)
        return counts, cost

    def _decide(self, table: Columns, rows: rewriting.TableRows) -> Decisions:
        kept = rows.scores(table, self._columns, self.names)
        costs = self._text.build(self.names, table)
        if [str(name) for name in costs.classes] != self.names:
            listed = plain_list(self.names)
            refuse(f"--cost must have the classes of the scores, {listed}, in that order.")
        with told_in_place(table, {}):
            if self._calibrator is None:
                return decide(kept, costs, classes=self.names, **self._priors(kept))
            prior, fitted = self._options.prior, kept.named(self._calibrator.classes)
            target = None if prior is None else rewriting.priors_of_use(prior, self.names)
            p = np.exp(self._calibrator.transform(fitted, target).values)
            return replace(decide(Posteriors(p, renormalize=True), costs), posteriors=p)

    def _priors(self, scores: Scores) -> dict[str, Any]:
        prior, trained = self._options.prior, self._options.training_prior
        if prior is None and scores.needs_priors:
            refuse("--prior must be given for likelihoods, which have no priors.")
        if trained is not None and (prior is None or scores.needs_priors):
            refuse("--training-prior is for posteriors, which are adapted to --prior: give both.")
        given: dict[str, Any] = (
            {} if prior is None else {"priors": rewriting.priors_of_use(prior, self.names)}
        )
        if trained is not None:
            given["training_priors"] = training_priors(trained, self.names)
        return given

    def _cut(self, rows: rewriting.TableRows) -> float | None:
        """Return above which value a cap leaves the second decision, from all rows."""
        review = self._options.review
        if review is None:
            return None
        levels, second = ReviewLevels(), ""
        for table in rows.columns():
            decided = self._decide(table, rows)
            if len(decided.decisions) != 2:
                refuse(f"--review needs two decisions: there are {len(decided.decisions)}.")
            levels.add(decided.saving_order, decided.indices)
            second = plain(str(decided.decisions[1]))
        cut = levels.cut(review)
        if (tied := levels.tied(cut)) > 1:
            note(
                f"{tied} cases tie at the cap and would exceed it together: none of them gets"
                f" {second!r}, so that equal cases are decided alike."
            )
        return cut
