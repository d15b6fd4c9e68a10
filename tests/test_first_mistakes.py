"""What a stranger types wrong in the first hour: each message names value, place and way out."""

from pathlib import Path

import pytest

from command import call
from stakes.cli.parsing import likely_positive

TABLES = {
    "t.csv": b"y,p\n0,0.1\n0,0.4\n1,0.3\n1,0.9\n",
    "three.csv": b"y,p\na,0.1\nb,0.4\nc,0.3\n",
    "words.csv": b"y,p\nno,0.1\nyes,0.4\n",
    "semicolons.csv": b"y;p\n0;0.1\n1;0.4\n",
    "tabs.csv": b"y\tp\n0\t0.1\n1\t0.4\n",
    "comma.csv": b'y,p\n0,"0,1"\n1,"0,4"\n',
    "percent.csv": b"y,p\n0,10\n1,90\n",
    "signs.csv": b"y,p\n0,10%\n1,90%\n",
    "empty_score.csv": b"y,p\n0,0.1\n1,\n",
    "empty_label.csv": b"y,p\n0,0.1\n,0.9\n",
    "one.csv": b"y,p\n1,0.1\n1,0.9\n",
    "text.csv": b"y,p\n0,low\n1,high\n",
    "mark.csv": b"\xef\xbb\xbfy,p\n0,0.1\n0,0.4\n1,0.3\n1,0.9\n",
    "app.toml": b'lable = "y"\n',
    "severe.csv": b"y,p_severe_a,p_severe_b\nsevere,0.7,0.8\nusual,0.1,0.4\nusual,0.2,0.1\n",
    "models.csv": b"y,p_old,p_new\n0,0.1,0.2\n1,0.3,0.9\n1,0.8,0.7\n",
    "several.csv": b"a,b,p_a,p_b\n0,1,0.1,0.2\n1,1,0.3,0.9\n1,0,0.8,0.7\n",
    "others.csv": b"a,b,of_a,of_b\n0,1,0.1,0.2\n1,1,0.3,0.9\n",
    "neither.csv": b"y,p\nleft,0.1\nright,0.4\n",
}
SCORES = ("--scores", "p", "--scores-are", "posteriors")
ONE = (*SCORES, "--positive", "1")
Y = ("--label", "y")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("first")
    for name, data in TABLES.items():
        (made / name).write_bytes(data)
    return made


MISTAKES = [
    (
        ("others.csv", "--label", "a,b", "--scores", "of_a,of_b", "--scores-are", "posteriors"),
        ["--label must name one column", "--label a --scores of_a --positive 1."],
    ),
    (("t.csv", "--label", "Y", *ONE), ["no column 'Y'", "y, p"]),
    (("t.csv", "--label", "yy", *ONE), ["no column 'yy'. Did you mean 'y'?"]),
    (("t.csv", *Y, "--scores", "p", "--positive", "1"), ["--scores-are must", "give posteriors"]),
    (("t.csv", *Y, *SCORES), ["--positive must", "column 'p'", "'0', '1'", "--positive 1"]),
    (("words.csv", *Y, *SCORES), ["--positive must", "'no', 'yes'", "--positive yes"]),
    (("words.csv", *Y, *ONE), ["--positive must be one of", "'no', 'yes'", "got '1'"]),
    (("three.csv", *Y, *SCORES), ["--scores must name a column for each", "'c'", "got 'p'"]),
    (("semicolons.csv", *Y, *ONE), ["semicolons", "save it with commas"]),
    (("tabs.csv", *Y, *ONE), ["tabs", ".tsv"]),
    (("comma.csv", *Y, *ONE), ["line 2", "column 'p'", "'0,1'", "decimal point"]),
    (
        ("percent.csv", *Y, *ONE),
        [
            "must be posteriors",
            "got 10.0",
            "line 2",
            "Divide by 100",
            "explain percent_not_probability",
        ],
    ),
    (("signs.csv", *Y, *ONE), ["line 2", "column 'p'", "'10%'", "0.1."]),
    (
        ("empty_score.csv", *Y, *ONE),
        ["line 3", "column 'p'", "missing", "Leave such rows out", "explain missing_score"],
    ),
    (("empty_label.csv", *Y, *ONE), ["line 3", "column 'y'", "empty", "Label it"]),
    (("one.csv", *Y, *ONE), ["'p'", "2 classes", "is 1, '1'", "--classes"]),
    (
        ("text.csv", *Y, *ONE),
        ["line 2", "column 'p'", "must hold numbers", "'low'", "explain not_a_number"],
    ),
    (("t.xlsx", *Y, *ONE), ["t.xlsx", "spreadsheet", "Save it as CSV"]),
    (("absent.csv", *Y, *ONE), ["cannot read 'absent.csv'", "No such file"]),
    ((".", *Y, *ONE), ["must hold only data files", "app.toml", "pattern"]),
    (("t.csv", *Y, *ONE, "--cost", "5:1"), ["--cost must", "'5:1'", "miss=5,false_alarm=1"]),
    (("t.csv", *Y, *ONE, "--cost", "fm=5,fp=1"), ["--cost must", "'fm'", "false negative"]),
    (("t.csv", *Y, *ONE, "--prior", "5%"), ["--prior must", "'5%'", "Write 0.05."]),
    (
        ("severe.csv", *Y, "--scores", "p_severe_b", "--scores-are", "posteriors"),
        ["Give --positive severe."],
    ),
    (("neither.csv", *Y, *SCORES), ["Give --positive left or --positive right."]),
    (
        ("severe.csv", *Y, "--scores-are", "posteriors"),
        [
            "scores of class 'severe' by several models",
            "--system a=p_severe_a --system b=p_severe_b",
        ],
    ),
    (("severe.csv", *Y), ["--scores-are must say what the scores are"]),
    (
        ("models.csv", *Y, "--scores", "p_old,p_new", "--scores-are", "posteriors"),
        ["--system old=p_old --system new=p_new --positive 1"],
    ),
    (
        ("several.csv", "--label", "a,b", "--scores", "p_a,p_b", "--scores-are", "posteriors"),
        ["one column: got 'a,b'", "--label a --scores p_a --positive 1"],
    ),
    (("several.csv", "--scores-are", "posteriors"), ["--label a --scores p_a --positive 1"]),
    (("t.csv", "--app", "app.toml"), ["app.toml", "'lable'", "Did you mean 'label'?"]),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[m[1][0] for m in MISTAKES])
def test_a_first_mistake_is_named(words: tuple[str, ...], said: list[str], folder: Path) -> None:
    done = call("evaluate", *words, cwd=folder)
    assert done.returncode in (2, 3, 4)
    assert [part for part in said if part not in done.stderr] == []
    assert "--scores-are" in words or "guessed" not in done.stderr  # what may not be meant
    lines = [
        x for x in done.stderr.splitlines() if not x.startswith(("Note:", "See: stakes explain"))
    ]
    assert len(lines) == 1


def test_a_byte_order_mark_is_no_mistake(folder: Path) -> None:
    done, plain = (
        call("evaluate", name, *Y, *ONE, "--json", cwd=folder) for name in ("mark.csv", "t.csv")
    )
    assert done.returncode == 0
    assert done.stdout.replace("mark.csv", "t.csv") == plain.stdout


@pytest.mark.parametrize(
    ("column", "labels", "meant"),
    [
        ("p_severe_b", ["severe", "usual"], "severe"),
        ("SevereRisk.severe", ["severe", "usual"], "severe"),
        ("score", ["no", "yes"], "yes"),
        ("score", ["False", "True"], "True"),
        ("p_unusual", ["usual", "rare"], None),
        ("severe_usual", ["severe", "usual"], None),
        ("p_very_severe", ["severe", "very severe"], "very severe"),
        ("p", ["-1", "1"], "1"),
    ],
)
def test_the_class_of_interest_follows_from_names(
    column: str, labels: list[str], meant: str | None
) -> None:
    assert likely_positive(column, labels) == meant
