"""stakes answers: what the answers of a model that may abstain are worth."""

from dataclasses import replace

from stakes.cli.answer_models import Models, read_models
from stakes.cli.answer_request import AnswerRequest, answer_request
from stakes.cli.answers_screen import plain_origin, print_responses
from stakes.cli.github import verdict_annotations
from stakes.cli.options import Options
from stakes.cli.outputs import Cell, Document, check_outputs, ends, publish
from stakes.cli.table_request import WHOLE
from stakes.responses import ResponseEvaluation, evaluate_responses


def run(options: Options) -> None:
    """Tell what the answers of a model that may abstain are worth, and when it should abstain."""
    check_outputs(options)
    request = answer_request(options)
    models = read_models(request)
    if len(models.responses) == 1:
        publish(_document(evaluated(models, request), models, options), options)
        return
    from stakes.cli.answers_compared import compared_document  # noqa: PLC0415  another way

    publish(compared_document(models, request), options)


def evaluated(
    models: Models, request: AnswerRequest, name: str | None = None
) -> ResponseEvaluation:
    """Evaluate one model, with what was noted when its rows were read."""
    name = name or next(iter(models.responses))
    made = evaluate_responses(
        models.responses[name],
        request.target,
        risk=request.risk,
        slices=models.tables[name].slices,
        **request.stage,
    )
    return replace(made, notes=(*models.notes, *made.notes))


def _document(made: ResponseEvaluation, models: Models, options: Options) -> Document:
    """Return the evaluation of one model in every form."""
    rows: list[list[Cell]] = [["metric", "value", "low", "high", "method"]]
    rows += [[name, e.value, *ends(e), e.method] for name, e in made.metrics().items()]
    return Document(
        command="answers",
        body={**made.to_dict(), "origin": plain_origin(models.origin)},
        source=models.source,
        read=WHOLE,
        facts=f"{len(made.responses)} responses, seed {made.seed}",
        rows=rows,
        sentences=[str(verdict) for verdict in made.verdicts],
        notes=made.notes,
        draw=lambda screen: print_responses(
            screen, made, models.source, models.origin, details=options.details
        ),
        page=lambda: made.to_html(title=options.title, source=models.source, date=options.date),
        commands={},  # its verdicts ask for none
        annotations=verdict_annotations("answers", made.verdicts),
    )
