"""The application file: a TOML or JSON file with values for options, by their names."""

import json
from difflib import get_close_matches
from typing import Any

import click

from stakes._files import read_text
from stakes._text import plain, quoted
from stakes.cli.messages import refuse
from stakes.cli.options import application_keys


def read_application(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
    """Take values for options from a TOML file; what is typed goes before it."""
    if value is None:
        return
    options = [p for p in ctx.command.params if isinstance(p, click.Option) and p.expose_value]
    known = {o.removeprefix("--"): p for p in options for o in p.opts if o.startswith("--")}
    ctx.meta["stakes.app"] = value
    given: dict[str, Any] = {}
    for key, entry in _entries(value).items():
        parameter = known.get(key.replace("_", "-"))
        if key == "applications":
            ctx.meta["stakes.applications"] = _applications(entry, value)
        elif parameter is not None:
            several = parameter.multiple and isinstance(entry, list)
            values = [_text(e) for e in (entry if several else [entry])]
            given[str(parameter.name)] = values if parameter.multiple else values[0]
        elif key.replace("_", "-") not in application_keys():  # of other commands
            near = get_close_matches(key.replace("_", "-"), known, n=1, cutoff=0.75)
            listed = f"Options are {', '.join(sorted(known))}."
            hint = f"Did you mean {near[0]!r}?" if near else listed
            refuse(f"--app {plain(value)!r}: there is no option {key!r}. {hint}")
    ctx.default_map = {**(ctx.default_map or {}), **given}


def _entries(path: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415  slow to load, and seldom asked for

    try:
        text = read_text(path)
        if path.lower().endswith(".json"):
            entries = json.loads(text, object_pairs_hook=_each_once)
        else:
            entries = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # InputError is a ValueError
        msg = f"--app {plain(path)!r} must be a TOML or JSON file: {error}"
        refuse(msg.rstrip(".") + ".")
    if not isinstance(entries, dict):
        refuse(f"--app {plain(path)!r} must hold options by name, such as label and cost.")
    return entries


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"{plain(twice)!r} occurs twice"
        raise ValueError(msg)
    return dict(pairs)


def _applications(entry: object, source: str) -> dict[str, dict[str, str]]:
    """Read the tables [applications.NAME] with cost, prior, abstain or dcf."""
    allowed = {"cost", "prior", "abstain", "dcf"}
    if not isinstance(entry, dict) or not all(isinstance(v, dict) for v in entry.values()):
        refuse(f"--app {plain(source)!r}: applications must be tables, [applications.NAME].")
    for name, table in entry.items():
        if odd := set(table) - allowed:
            msg = f"--app {plain(source)!r}: application {plain(name)!r} may hold"
            refuse(f"{msg} {quoted(sorted(allowed))}: got {quoted(sorted(odd))}.")
    return {name: {k: _text(v) for k, v in table.items()} for name, table in entry.items()}


def _text(entry: object) -> str:
    """Return a value of a TOML file as it would be typed."""
    if isinstance(entry, bool):
        return str(entry).lower()
    if isinstance(entry, dict):
        if "matrix" in entry or any("," in name or name != name.strip() for name in entry):
            return json.dumps(entry)  # as such names cannot be typed
        return ",".join(f"{name}={_text(value)}" for name, value in entry.items())
    if isinstance(entry, list):
        nested = any(isinstance(e, list) for e in entry)
        return json.dumps(entry) if nested else ",".join(_text(e) for e in entry)
    return str(entry)


APP = click.Option(
    ["--app"], is_eager=True, expose_value=False, callback=read_application, metavar="FILE",
    help="Read any of these options from a TOML or JSON file.",
)  # fmt: skip
