"""Outputs of the command line on small tables, without the numbers of intervals and tests."""

from __future__ import annotations

import base64
import csv
import gzip
import html
import io
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stakes
from command import DECIDED, TABLE, answer_rows, call, write_answers
from net_form import Parts, differing, rounded, sentence
from net_sets import amounts_of, groups_of, many_classes, sites_of, two_classes, weights_of

OF_INTERVALS = {"low", "high", "method", "p_value", "adjusted_p_value"}
BULLETS = ("- ", "=> ")
FEW = 12  # numbers of a packed column that are written one by one
COSTS = ("--cost", "miss=5,false_alarm=1")
PRICED = ("--cost", "miss=price,false_alarm=1")
SCORES = ("scores.csv", "--label", "y", "--scores", "p_calm,p_alarm", "--scores-are", "posteriors")
PAIR = (
    "scores.csv", "--label", "y", "--scores-are", "posteriors", "--positive", "alarm",
    "--system", "old=p_alarm", "--system", "new=q_alarm",
)  # fmt: skip
THREE = ("three.csv", "--label", "y", "--scores", "p_a,p_b,p_c", "--scores-are", "posteriors")
ANSWERS = ("answers.csv", "--right", "ok", "--confidence", "sure", "--abstained", "idk")
SHOWN: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", *SCORES, *COSTS),
    "evaluate, details and slices": ("evaluate", *SCORES, *COSTS, "--details", "--slice", "site"),
    "evaluate, groups and weights": ("evaluate", *SCORES, *COSTS, "--group", "ward", "--weight", "w"),
    "evaluate, adapted": ("evaluate", *SCORES, *COSTS, "--prior", "0.05", "--training-prior", "data"),
    "evaluate, amounts": ("evaluate", *SCORES, *PRICED, "--unit", "EUR"),
    "evaluate, three classes": ("evaluate", *THREE ),
    "evaluate, abstention": ("evaluate", *THREE, "--abstain", "0.2"),
    "evaluate, decisions": ("evaluate", "decided.csv", *DECIDED, "--positive", "tumour", *COSTS),
    "compare": ("compare", *PAIR, *COSTS),
    "compare, margin": ("compare", *PAIR, *COSTS, "--margin", "0.1"),
    "answers": ("answers", "one.csv", *ANSWERS[1:], "--target", "0.75"),
    "answers, two models": ("answers", *ANSWERS, "--model", "model", "--question", "id"),
    "threshold": ("threshold", *SCORES, "--cost", "miss=5,false_alarm=1"),
    "check, met": ("check", *SCORES, *COSTS, "--max-nec", "0.9"),
    "check, not met": ("check", *SCORES, *COSTS, "--max-nec", "0.1"),
    "calibrate": ("calibrate", *SCORES, "-o", "made.json"),
    "decide": ("decide", "few.csv", *SCORES[3:], *COSTS[:2], "-o", "made.csv"),
    "explain": ("explain", "f1"),
    "explain, a code": ("explain", "few_errors"),
}  # fmt: skip
FORMATS = ("json", "csv", "md", "github")
FORMATTED = ("evaluate", "compare", "answers, two models", "check, not met")
STREAMED = ("evaluate", "evaluate, groups and weights", "evaluate, amounts", "compare")


def commands() -> dict[str, Parts]:
    """Return what each command says, by what is shown."""
    found: dict[str, Parts] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        for shown, words in SHOWN.items():
            found[shown] = _said(folder, words, screen)
        for shown in FORMATTED:
            for form in FORMATS:
                words = (*SHOWN[shown], "--format", form)
                found[f"{shown}, {form}"] = _said(folder, words, READERS[form])
        for shown in STREAMED:
            found[f"{shown}, in batches"] = _in_batches(folder, (*SHOWN[shown], "--json"))
        for shown in FORMATTED[:3]:
            found[f"{shown}, html"] = _page(folder, SHOWN[shown])
    return found


def write_tables(folder: Path) -> None:
    """Write the tables that commands read."""
    rows = two_classes(21, 240, 0.25)
    other = np.round(np.clip(rows.scores + two_classes(22, 240).scores - 0.4, 0.01, 0.99), 4)
    n = rows.y.size
    labels = np.array(["calm", "alarm"])[rows.y]
    scores = {"p_calm": np.round(1 - rows.scores, 6), "p_alarm": rows.scores, "q_alarm": other}
    also = {"ward": groups_of(n), "w": weights_of(n), "price": amounts_of(n)["amount"]}
    first = {"id": np.arange(n), "y": labels, **scores, **also, "site": sites_of(n)["site"]}
    _write(folder / "scores.csv", first)
    _write(folder / "few.csv", {name: first[name][:6] for name in ("id", "p_calm", "p_alarm")})
    three = many_classes(23, 200, 3)
    columns = {f"p_{name}": column for name, column in zip("abc", three.scores.T, strict=True)}
    _write(folder / "three.csv", {"y": np.array(list("abc"))[three.y], **columns})
    (folder / "decided.csv").write_text(TABLE, "utf-8")
    write_answers(folder / "answers.csv")
    write_answers(folder / "one.csv", answer_rows(models=("bold", "humble"))[200:])


def _write(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(c.tolist() for c in columns.values()), strict=True))


def _said(folder: Path, words: tuple[str, ...], read: Callable[[str], Parts]) -> Parts:
    """Return the exit code, the output and the notes of a command."""
    done = call(*words, cwd=folder)
    parts = read(_anywhere(done.stdout, folder))
    parts.values["exit code"] = done.returncode
    notes = screen(_anywhere(done.stderr, folder))
    parts.values["notes"] = notes.values["text"]
    for made in sorted(folder.glob("made.*")):
        read_file = json_text if made.suffix == ".json" else csv_text
        written = read_file(_anywhere(made.read_text("utf-8"), folder)).values
        parts.values |= {f"file.{key}": value for key, value in written.items()}
        made.unlink()
    return parts


def _in_batches(folder: Path, words: tuple[str, ...]) -> Parts:
    """Return the keys at which a table that is read in batches gives something else."""
    whole, parts = (_said(folder, (*words, *more), json_text) for more in ((), ("--memory", "0")))
    return Parts(
        {key: parts.values.get(key) for key in differing(whole.values, parts.values)},
        {key: parts.verdicts.get(key) for key in differing(whole.verdicts, parts.verdicts)},
    )


def _page(folder: Path, words: tuple[str, ...]) -> Parts:
    """Return the page that a command writes: its data, and its words."""
    call(*words, "--html", "page.html", "--force", cwd=folder)
    return page((folder / "page.html").read_text("utf-8"))


def _anywhere(text: str, folder: Path) -> str:
    """Return a text without the version and the folder."""
    return text.replace(str(folder), "FOLDER").replace(stakes.__version__, "VERSION")


# Text


def screen(text: str) -> Parts:
    """Return the lines of a screen; sentences are joined, columns of intervals left out."""
    found = Parts({"text": []}, {"text": []})
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        if any(line.startswith(BULLETS) for line in lines):
            found.verdicts["text"] += _items(lines)
        elif any("──" in line for line in lines):
            _add_tables(found, lines)
        elif block.strip():
            found.values["text"].append(sentence(" ".join(block.split())))
    return found


def _items(lines: list[str]) -> list[str]:
    """Return the sentences of a list, each in one line."""
    items: list[str] = []
    for line in lines:
        if line.startswith((*BULLETS, "  next:", "  why:")) or not items:
            items.append(line.strip())
        else:
            items[-1] += " " + line.strip().removesuffix("\\")
    return [sentence(item) for item in items]


def _add_tables(found: Parts, lines: list[str]) -> None:
    """Add cells of tables without those of intervals and tests, and the sentences below them."""
    header: list[str] = []
    prose: list[str] = []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        cells = re.split(r" {2,}", line.strip())
        if _is_rule(line):
            continue
        if _is_rule(below):
            header = cells
        elif "method" in header:
            continue  # methods wrap, so names do; the same rows are in the CSV
        elif len(cells) == 1:
            prose.append(line.strip())
            continue
        part = found.verdicts if header[0].startswith("odds") else found.values
        part["text"].append(" | ".join(_own_cells(header, cells)))
        if header[-1] == "verdict" and cells is not header:
            found.verdicts["text"].append(f"{cells[0]}: {cells[-1]}")
    if prose:
        said = sentence(" ".join(prose))
        part = found.verdicts if said.startswith("Risk limit") else found.values
        part["text"].append(said)


def _own_cells(header: list[str], cells: list[str]) -> list[str]:
    """Return the cells of a row that belong to no interval, test or verdict."""
    kept = [h for h in header if "interval" not in h and h not in ("p", "verdict", "method")]
    said = [sentence(cell) for cell in cells]
    return [cell for cell in said if "interval" not in cell and cell != "… to …"][: len(kept)]


def _is_rule(line: str) -> bool:
    return set(line.strip()) == {"─"}


def markdown(text: str) -> Parts:
    """Return the lines of Markdown; columns of intervals are left out of tables."""
    found = Parts({"text": []}, {"text": []})
    kept: list[int] | None = None
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if kept is None:
                plain = [cell.replace("\\", "") for cell in cells]
                kept = [i for i, cell in enumerate(plain) if cell not in OF_INTERVALS]
                found.values["text"].append(" | ".join(plain))
            elif set(line) - set("|-: "):
                cells = [sentence(cells[i]) for i in kept]
                found.values["text"].append(" | ".join(cells))
            continue
        kept = None
        part = found.verdicts if line.startswith((*BULLETS, "::")) else found.values
        if line.strip():
            part["text"].append(sentence(line))
    return found


def csv_text(text: str) -> Parts:
    """Return a table as lists, numbers to 12 digits, without those of intervals."""
    header, *rows = csv.reader(io.StringIO(text))
    found = Parts({"header": header, "rows": []}, {})
    for row in rows:
        cells = zip(header, row, strict=True)
        found.values["rows"].append(["…" if h in OF_INTERVALS else _cell(c) for h, c in cells])
    return found


def _cell(text: str) -> Any:
    try:
        return rounded(float(text))
    except ValueError:
        return sentence(text)


def json_text(text: str) -> Parts:
    """Return a document as values and verdicts."""
    found = Parts()
    document = json.loads(text)
    found.add("", document if isinstance(document, dict) else {"list": document})
    return found


READERS: dict[str, Callable[[str], Parts]] = {
    "json": json_text,
    "csv": csv_text,
    "md": markdown,
    "github": markdown,
}


# The page

_BLOCK = re.compile(r"</(?:p|li|tr|h\d|summary|header|caption|nav|section|table)>")


def page(text: str) -> Parts:
    """Return what a page was given, and what it says without its script."""
    found = Parts()
    given = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert given is not None
    found.add("data", unpacked(json.loads(given[1])))
    body = re.sub(r"<(script|style|svg).*?</\1>", "", text.partition("<body>")[2], flags=re.DOTALL)
    body = re.sub(r' ?<span class="band">.*?</span>', "", body)
    before, answer, rest = re.split(r'(?=<section id="answer")|(?=<section id="live")', body)
    found.values["text"], found.verdicts["text"] = _blocks(before), _blocks(answer)
    for each in re.split(r"(<table.*?</table>)", rest, flags=re.DOTALL):
        lines = _page_table(each) if each.startswith("<table") else _blocks(each)
        part = found.verdicts if lines and lines[0].startswith("odds") else found.values
        part["text"] += lines
    return found


def _page_table(text: str) -> list[str]:
    """Return the rows of a table without columns of intervals and tests."""
    rows = re.findall(r"<tr.*?</tr>", text, re.DOTALL)
    cells = [[_plain(c) for c in re.findall(r"<t[hd].*?</t[hd]>", r, re.DOTALL)] for r in rows]
    header = cells[0]
    kept = [
        i
        for i, name in enumerate(header)
        if "interval" not in name and name not in ("p", "may be best")
    ]
    return [" | ".join(sentence(row[i]) for i in kept if i < len(row)) for row in cells]


def _plain(text: str) -> str:
    """Return what is read of a part of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def _blocks(text: str) -> list[str]:
    """Return the paragraphs, rows and headings of a part of a page."""
    lines = map(_plain, _BLOCK.split(text))
    return [sentence(line.replace(stakes.__version__, "VERSION")) for line in lines if line]


def unpacked(value: Any) -> Any:
    """Return data of a page with packed columns as their numbers, or their count and sum."""
    if isinstance(value, dict) and value.keys() == {"type", "data"}:
        kind = value["type"]
        data = gzip.decompress(base64.b64decode(value["data"]))
        column = np.frombuffer(data, dtype=f"<{kind[0]}{int(kind[1:]) // 8}").astype(np.float64)
        if column.size <= FEW:
            return column.tolist()
        return {"count": column.size, "sum": float(f"{column.sum():.6g}")}
    if isinstance(value, dict):
        return {key: unpacked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [unpacked(part) for part in value]
    return value
