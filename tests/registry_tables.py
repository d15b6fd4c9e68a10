"""The tables of metrics and rules in the documentation: `make exports` writes them."""

from pathlib import Path

from stakes.metrics.traditional import METRICS
from stakes.scoring import RULES

PAGE = Path(__file__).parents[1] / "docs" / "which-metric.md"


def _metrics() -> str:
    rows = ["| metric | `explain(...)` | better | formula | what it is |", "|---|---|---|---|---|"]
    for name, kind in METRICS.classes.items():
        short = ", ".join(f'"{n}"' for n, m in METRICS.choices.items() if type(m) is kind)
        said = (kind.__doc__ or "").splitlines()[0]
        rows.append(f"| `{name}` | {short} | {kind.better} | `{kind.formula}` | {said} |")
    return "\n".join(rows)


def _rules() -> str:
    rows = ["| rule | short name | strict | what it is |", "|---|---|---|---|"]
    for name, kind in RULES.classes.items():
        short = ", ".join(f'"{n}"' for n, rule in RULES.choices.items() if type(rule) is kind)
        said = (kind.__doc__ or "").splitlines()[0].replace("|", "\\|")
        rows.append(f"| `{name}` | {short} | {'yes' if kind.strict else 'no'} | {said} |")
    return "\n".join(rows)


def written(text: str) -> str:
    """Return the page with the tables of the registries, between their marks."""
    for mark, table in (("metrics", _metrics()), ("rules", _rules())):
        start, end = f"<!-- {mark}: written by make exports -->\n", f"<!-- end of {mark} -->"
        before, _, rest = text.partition(start)
        text = f"{before}{start}{table}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
