"""What a stranger types wrong in the first hour: each message names value, place and way out."""

from pathlib import Path

import pytest

from command import call

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
            "divide by 100",
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
    (("t.csv", "--app", "app.toml"), ["app.toml", "'lable'", "Did you mean 'label'?"]),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[m[1][0] for m in MISTAKES])
def test_a_first_mistake_is_named(words: tuple[str, ...], said: list[str], folder: Path) -> None:
    done = call("evaluate", *words, cwd=folder)
    assert done.returncode in (2, 3, 4)
    assert [part for part in said if part not in done.stderr] == []
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
