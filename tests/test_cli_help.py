"""Help as a new user reads it: narrow lines, groups in one order, examples, hints for typos."""

import re

import click
import pytest

from command import call
from stakes.cli import group
from stakes.cli.commands import HELP, SECTIONS
from stakes.cli.option_groups import GROUPS
from stakes.cli.options import options_of

COMMANDS = sorted(HELP)


def help_of(command: str) -> str:
    return call(command, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_of_help_is_cut(command: str) -> None:
    assert [line for line in help_of(command).splitlines() if len(line) > 80] == []


def test_each_option_is_in_one_group() -> None:
    listed = [name for names in GROUPS.values() for name in names.split()]
    declared = {str(option.name) for command in COMMANDS for option in options_of(command)}
    assert sorted(listed) == sorted({*listed}) == sorted(declared)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_option_once(command: str) -> None:
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_of(command), re.MULTILINE)
    made = group.get_command(click.Context(group), command)
    assert made is not None
    wanted = [o.opts[-1] for o in made.params if isinstance(o, click.Option) and not o.hidden]
    assert sorted(shown) == sorted([*wanted, "--help"])


def test_long_help_is_grouped_and_short_help_is_not() -> None:
    text = help_of("evaluate")
    found = [line[:-1] for line in text.splitlines() if re.fullmatch(r"[A-Z][\w ,]+:", line)]
    kept = [name for name in GROUPS if name in found]
    assert found == [*kept, "General"]
    assert found[:2] == ["Input", "Costs and priors"]
    assert "\nOptions:\n" in help_of("demo")
    assert "\nInput:\n" not in help_of("demo")


def test_commands_are_listed_by_what_people_want() -> None:
    text = call("--help").stdout
    assert [name for names in SECTIONS.values() for name in names] == re.findall(
        r"^  ([a-z]+) {2,}\S", text, re.MULTILINE
    )
    assert set(COMMANDS) == {name for names in SECTIONS.values() for name in names}
    for line in text.splitlines():
        assert len(line) <= 80
    for name in COMMANDS:  # one line each
        assert re.search(rf"^  {name} +[A-Z].*[.]$", text, re.MULTILINE), name
    assert text.index("stakes demo") < text.index("stakes evaluate")


def test_no_arguments_show_the_same_help() -> None:
    done = call()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == call("--help").stdout.strip()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evalute",), "there is no command 'evalute': did you mean 'evaluate'?"),
        (("help",), "there is no command 'help': did you mean '--help'?"),
        (("evaluate", "t.csv", "--lable", "y"), "no option '--lable': did you mean '--label'?"),
        (("evaluate", "t.csv", "--max-nec", "1"), "'stakes evaluate' has no option '--max-nec'"),
        (("evaluate", "t.csv", "--max-nec", "1"), "'stakes check' has it"),
        (("compare", "t.csv", "--scores", "p"), "give --system NAME=COLUMNS for each system"),
        (("evaluate", "t.csv", "--threshold", "0.5"), "the command 'stakes threshold'"),
    ],
)
def test_a_typo_leads_to_what_was_meant(words: tuple[str, ...], said: str) -> None:
    done = call(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scores-are", "percent"), "--scores-are must be posteriors, log-posteriors,"),
        (("--scores-are", "percent"), "got 'percent'. Divide percentages by 100, and give poster"),
        (("--scores-are", "posterior"), "got 'posterior'. Did you mean posteriors?"),
        (("--scores-are", "ROC"), "log10-lr or lr: got 'ROC'. See 'stakes evaluate --help'."),
        (("--level", "95"), "--level must be a number above 0 and below 1: got 95. 95 % is 0.95."),
        (
            ("--level", "95%"),
            "--level must be a number above 0 and below 1: got '95%'. 95 % is 0.95.",
        ),
        (("--folds", "1"), "--folds must be a whole number of at least 2: got '1'."),
        (("--folds", "five"), "--folds must be a whole number of at least 2: got 'five'."),
        (("--seed", "-1"), "--seed must be a whole number of at least 0: got '-1'."),
        (("--format", "html"), "or github: got 'html'. For a page give --html PATH."),
        (("--timeout", "x"), "--timeout must be a number of at least 0: got 'x'."),
    ],
)
def test_values_are_refused_with_the_rule_and_a_way_out(words: tuple[str, ...], said: str) -> None:
    done = call("evaluate", "t.csv", "--label", "y", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_what_is_missing_is_named_as_it_is_typed() -> None:
    assert "PATH must be given" in call("evaluate").stderr
    said = call("decide", "t.csv", "--scores", "p", "--scores-are", "llr", "--cost", "x.toml")
    assert "--output must be given" in said.stderr
