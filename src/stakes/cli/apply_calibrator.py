"""stakes calibrate --apply: calibrated scores for the rows of a table."""

from pathlib import Path

import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.calibration import Calibrator
from stakes.cli import table_rewriting as rewriting
from stakes.cli.messages import note, refuse, wrote
from stakes.cli.options import Options
from stakes.cli.outputs import Document, show
from stakes.cli.parsing import class_names, score_columns
from stakes.cli.places import told_in_place
from stakes.io import Columns
from stakes.io.batches import Ask
from stakes.scores import LogPosteriors, Scores

_FORMS = {  # by what is written: its columns for two classes and for more, and how to read them
    "posteriors": (("calibrated_{}", "posteriors"), ("calibrated_{}", "posteriors")),
    "log-odds": (("calibrated_log_odds", "logits"), ("calibrated_log_{}", "log-posteriors")),
    "llr": (("calibrated_llr", "llr"), ("calibrated_log_likelihood_{}", "log-likelihoods")),
}


def apply(options: Options) -> None:
    """Append calibrated scores to a table."""
    rewriting.check(options)
    prior, kind = options.prior, options.write or "posteriors"
    calibrator = rewriting.read_calibrator(str(options.apply))
    known = [str(name) for name in calibrator.classes]
    names = class_names(options.classes, str(options.scores), None, known)
    if kind == "llr" and prior is not None:
        msg = "--prior has no effect on likelihood ratios, which hold for any priors: leave it out"
        refuse(f"{msg}, and give it to stakes decide.")
    target = None if prior is None else rewriting.priors_of_use(prior, known)
    several = len(known) > 2
    form, read_as = _FORMS[kind][several]
    columns = list(dict.fromkeys(form.format(name) for name in known))

    def write(rows: rewriting.TableRows) -> tuple[int, FloatArray]:
        """Write all rows, and return their number and the mean of their posteriors."""
        n, sums = 0, ExactSums(len(known))  # the same for any batches

        def made(table: Columns) -> dict[str, FloatArray]:
            nonlocal n
            scores = rows.scores(table, names, known).named(calibrator.classes)
            with told_in_place(table, {}):
                found = calibrator.transform(scores, target)
                p = np.exp(found.values)
                values = p if kind == "posteriors" else _on_scale(kind, calibrator, scores, found)
            n += len(p)
            sums.add(np.tile(np.arange(len(known)), len(p)), p.ravel())
            return dict(zip(columns, values.reshape(len(p), -1).T, strict=True))

        rows.write(made)
        return n, sums.total() / n

    rows, (n, means) = rewriting.rewrite(
        options, Ask((), tuple(score_columns(str(options.scores)))), write
    )
    if options.as_json:
        used = calibrator.training_priors  # None where an earlier file did not keep them
        used = used if target is None else np.array(target)
        body = {
            "samples": n,
            "seed": None,
            "calibrator": calibrator.name,
            "classes": known,
            "priors": None if used is None else dict(zip(known, used.tolist(), strict=True)),
            "mean_posteriors": dict(zip(known, means.tolist(), strict=True)),
            "columns": columns,
            "scores_are": read_as,
            "output": Path(str(options.output)).name,
        }
        show(Document("apply", body, rows.source, rows.read), options)
    listed, order = (",".join(map(plain, names)) for names in (columns, known))
    note(f"read them with --scores {listed} --scores-are {read_as} --classes {order}.")
    wrote(str(options.output))


def _on_scale(
    kind: str, calibrator: Calibrator, scores: Scores, found: LogPosteriors
) -> FloatArray:
    """Return calibrated scores as log odds, or as log likelihoods that serve any priors."""
    several = len(calibrator.classes) > 2
    if kind == "log-odds":
        return found.values if several else found.ranks()
    if several:
        return calibrator.log_likelihoods(scores).values
    return calibrator.log_likelihood_ratios(scores).values
