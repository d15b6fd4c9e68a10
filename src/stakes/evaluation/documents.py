"""Results as JSON documents, in the form that docs/schema describes."""

import json
from collections.abc import Mapping
from typing import Any

from stakes._version import __version__

SCHEMA_VERSION = 1


def json_document(
    command: str, body: Mapping[str, Any], table: Mapping[str, str], commands: Mapping[str, str]
) -> str:
    """Return one JSON document that says what made it, and of which table."""
    head = {"stakes": __version__, "schema": SCHEMA_VERSION, "command": command}
    values = {**head, **table, **with_commands(body, commands)}
    return json.dumps(values, indent=2, allow_nan=False) + "\n"


def with_commands(value: Any, commands: Mapping[str, str]) -> Any:  # noqa: ANN401  plain values
    """Return the values of a JSON document, with a command in each verdict."""
    if isinstance(value, list):
        return [with_commands(each, commands) for each in value]
    if not isinstance(value, Mapping):
        return value
    out = {name: with_commands(each, commands) for name, each in value.items()}
    if "advice" in out and "action" in out:
        out["command"] = commands.get(out["action"], "")
    return out
