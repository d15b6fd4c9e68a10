"""Help of a command: its options under headings, in the order in which people need them."""

import click

# Every option once, by name; a heading without options of a command is left out.
GROUPS = {
    "Input": "label systems reference scores scores_are decision positive classes renormalize"
    " sample class_column key",
    "Costs and priors": "cost dcf abstain prior training_prior margin review unit",
    "Limits": "max_nec max_cross_entropy max_brier max_calibration_loss min_auc min_utility"
    " max_hallucination_rate most least max_loss_against confident",
    "Answers": "answers right abstained outcome right_is wrong_is abstained_is confidence"
    " confidence_is words agreement_samples target risk question model common",
    "Logs of evaluation harnesses": "scorer metric log_filter partial abstain_pattern",
    "Weights, groups and slices": "weight group slices",
    "Calibration and intervals": "learner apply write calibrator_file method rules folds level"
    " seed",
    "Output": "details html title date layout as_json list_codes output prefix force no_file"
    " no_figures",
    "Reading files": "input_format memory resume engine scheduler master remote max_bytes timeout",
}
_LAST = "General"
_FEW = 10  # options that need no headings


class GroupedCommand(click.Command):
    """A command with its options under headings, if they are many."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        for heading, options in _grouped(self.get_params(ctx)).items():
            with formatter.section(heading):
                formatter.write_dl([row for o in options if (row := o.get_help_record(ctx))])


def _grouped(params: list[click.Parameter]) -> dict[str, list[click.Option]]:
    """Return options by heading; few are all under one."""
    options = {str(p.name): p for p in params if isinstance(p, click.Option) and not p.hidden}
    if len(options) <= _FEW:
        return {"Options": list(options.values())}
    found = {
        heading: [options.pop(name) for name in names.split() if name in options]
        for heading, names in GROUPS.items()
    }
    found[_LAST] = list(options.values())
    return {heading: some for heading, some in found.items() if some}
