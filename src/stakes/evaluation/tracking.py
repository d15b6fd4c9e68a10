"""Every number of a record under one flat name, for experiment trackers and model cards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import chain
from os import PathLike
from typing import Any, Required, TypedDict, TypeVar, Unpack

from stakes._check import InputError
from stakes._files import write_text
from stakes._foreign_calls import answered
from stakes._foreign_words import near
from stakes._text import quoted
from stakes.evaluation.documents import json_document
from stakes.results import Estimate

Log = Callable[..., Any]
V = TypeVar("V")


def unique(pairs: Iterable[tuple[str, V]]) -> dict[str, V]:
    """Return values by name; no two may share one, as one of them would be lost."""
    out: dict[str, V] = {}
    for name, value in pairs:
        if name in out:
            rule, found = "must tell all numbers apart", f"{name!r} stands for several"
            raise InputError("names of systems and applications", rule, found=found)
        out[name] = value
    return out


def with_ends(estimates: Mapping[str, Estimate]) -> Iterator[tuple[str, float]]:
    """Yield each value with its name, the ends of its interval as `name.low` and `name.high`."""
    for name, estimate in estimates.items():
        yield name, float(estimate.value)
        band = estimate.interval
        if band is not None and not (math.isnan(band.low) and math.isnan(band.high)):
            yield f"{name}.low", float(band.low)
            yield f"{name}.high", float(band.high)


def _selected(found: Mapping[str, float], metrics: str | Sequence[str]) -> dict[str, float]:
    """Return the numbers of some metrics, by names or patterns; each must be one or more."""
    names = {name: name.removesuffix(".low").removesuffix(".high") for name in found}
    names = {name: own.removesuffix(".naive") for name, own in names.items()}
    kept: set[str] = set()
    for pattern in [metrics] if isinstance(metrics, str) else metrics:
        some = [
            name
            for name, own in names.items()
            if fnmatchcase(name, f"{pattern}") or fnmatchcase(own, f"{pattern}")
        ]
        if not some:
            ends = [own for own in dict.fromkeys(names.values()) if own.endswith(f".{pattern}")]
            meant = ends[:3] or near(f"{pattern}", names.values(), most=3, cutoff=0.6)
            hint = f"Did you mean {quoted(meant)}?" if meant else ""
            rule = "must be names of flat_metrics(), or patterns such as 'cost.*'"
            raise InputError("metrics", rule, repr(pattern), hint=hint)
        kept.update(some)
    return {name: value for name, value in found.items() if name in kept}


class Tracked:
    """A record whose numbers can be logged; `metrics` and `_references` say which there are."""

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name."""
        raise NotImplementedError

    def _references(self) -> dict[str, float]:
        """Return what goes with the metrics: naive values, how many samples."""
        raise NotImplementedError

    def _document(self) -> tuple[str, dict[str, Any]]:
        """Return the command that gives the same result, and its plain values."""
        raise NotImplementedError

    @answered
    def to_json(self, *, source: str = "") -> str:
        """Return the JSON document that the command line prints with --json (docs/schema).

        Parameters
        ----------
        source : str, optional
            The name of the data.
        """
        return json_document(*self._document(), {"source": source, "read": "whole"}, {})

    def flat_metrics(self, metrics: str | Sequence[str] | None = None) -> dict[str, float]:
        """Return every number as a plain float by name, ready for experiment trackers.

        A metric has its name in `metrics`; the ends of its interval have that name with `.low` and
        `.high`, and the value of the naive system has it with `.naive` (not for normalised losses,
        where it is 1). Undefined numbers are NaN, and infinite ones infinite.

        Parameters
        ----------
        metrics : str, or list of str, optional
            Names to select, such as "cost.nec" with the ends of its interval, or patterns such as
            "cost.*"; by default all.
        """
        references = ((name, float(value)) for name, value in self._references().items())
        found = unique(chain(with_ends(self.metrics()), references))
        return found if metrics is None else _selected(found, metrics)

    @answered
    def log_to(
        self,
        log: Log,
        *,
        together: bool = False,
        prefix: str = "",
        step: int | None = None,
        metrics: str | Sequence[str] | None = None,
    ) -> dict[str, float]:
        """Pass every number with the ends of its interval to an experiment tracker.

        Parameters
        ----------
        log : callable
            Called once for each number, as `log(name, value)`: TensorBoard's `add_scalar`,
            Comet's `log_metric`, Lightning's `self.log`.
        together : bool, default False
            Call it once instead, as `log({name: value, ...})`: `log` of Weights & Biases,
            Lightning's `self.log_dict`.
        prefix : str, optional
            Put before each name, such as `"val/"`.
        step : int, optional
            Passed as the last positional argument, if it is not None.
        metrics : str, or list of str, optional
            Names or patterns of the numbers to log, as in `flat_metrics`; by default all.

        Returns
        -------
        dict of str to float
            What was logged, with the names of `flat_metrics`. Undefined numbers are NaN and
            infinite ones infinite; nothing is left out.

        Examples
        --------
        Stop a validation loop if the cost is not below that of the naive system:

        >>> import stakes
        >>> data = stakes.simulation.simulate(2, n=500)
        >>> result = stakes.evaluate(data.y, data.posteriors([0.9, 0.1]))
        >>> history = {}
        >>> logged = result.log_to(history.update, together=True, prefix="val/")
        >>> history["val/cost.nec.high"] < 1
        True
        """
        if not callable(log):
            rule = "must be a function that takes a name and a value, such as writer.add_scalar"
            raise InputError("log", rule, repr(log))
        numbers = {f"{prefix}{name}": value for name, value in self.flat_metrics(metrics).items()}
        last = () if step is None else (step,)
        if together:
            log(dict(numbers), *last)
        else:
            for name, value in numbers.items():
                log(name, value, *last)
        return numbers


class CardFields(TypedDict, total=False):
    """What `to_model_card` takes beside the name of the model."""

    dataset: Required[str]
    task: Required[str]
    dataset_id: str
    split: str
    licence: str
    language: str | Sequence[str]
    tags: Sequence[str]
    library: str
    intended_use: str
    limitations: str


def _card_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a card; others are refused, with what was probably meant."""
    known = CardFields.__annotations__
    odd = [name for name in given if name not in known]
    if odd:
        hint = " ".join(f"Did you mean {name!r}?" for name in near(odd[0], known))
        raise InputError("fields of the card", f"must be of {quoted(known)}", odd[0], hint=hint)
    return given


class Carded:
    """A record of one model, with a model card, made in a package above as a page is."""

    @answered
    def to_model_card(self, model_name: str, **fields: Unpack[CardFields]) -> str:
        """Return a model card: Markdown with the metadata that the Hugging Face Hub reads.

        `model-index` has every number of `metrics` with its interval and naive value. The text
        shows costs and priors as the intended use, results compared with the naive system,
        verdicts, slices, caveats and how everything was computed.

        Parameters
        ----------
        model_name : str
            Name of the model.
        dataset : str
            The name of the data, for people.
        task : str
            A task of the Hub: "tabular-classification", "image-classification",
            "text-classification", "audio-classification".
        dataset_id : str, optional
            Id of the data on the Hub.
        split : str, optional
            Such as "test".
        licence, library : str, optional
            Names of the Hub: "apache-2.0", "sklearn".
        language, tags : list of str, optional
        intended_use, limitations : str, optional
            Markdown to include in the card.

        Examples
        --------
        >>> import stakes
        >>> data = stakes.simulation.simulate(2, n=500)
        >>> result = stakes.evaluate(data.y, data.posteriors([0.9, 0.1]))
        >>> card = result.to_model_card(
        ...     "screening", dataset="simulated", task="tabular-classification", licence="mit"
        ... )
        >>> print(card.partition("## What the numbers say")[2].splitlines()[2])
        - Useful: it costs 53 % of always answering 0 (NEC 0.5306, 95 % interval 0.3655 to 0.7429).
        """
        report = import_module("stakes.report")
        given = _card_fields(dict(fields))
        text: str = report.model_card_of(self, report.Card(model_name, **given))
        return text

    @answered
    def save_model_card(
        self, path: str | PathLike[str], model_name: str, **fields: Unpack[CardFields]
    ) -> None:
        """Write the card of `to_model_card` to a file such as README.md, replacing an existing one.

        Parameters
        ----------
        path : str or path
            The file to write.
        model_name : str
            Name of the model.
        **fields
            As in `to_model_card`.
        """
        write_text(path, self.to_model_card(model_name, **fields))
