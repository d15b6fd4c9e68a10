"""Records that show themselves as a page."""

from importlib import import_module
from os import PathLike
from typing import Any

from stakes._files import write_text


class Paged:
    """A record with a page of its own, which is made in a package above this one."""

    def to_html(self, *, title: str = "", source: str = "") -> str:
        """Return one live page that loads nothing: verdicts, numbers, pictures, other costs.

        Parameters
        ----------
        title, source : str, optional
            The heading, and the name of the data.
        """
        page: str = _report().page_of(self, title, source).html()
        return page

    def save_html(self, path: str | PathLike[str], *, title: str = "", source: str = "") -> None:
        """Write the page of `to_html` to a file; an older one is replaced."""
        write_text(path, self.to_html(title=title, source=source))

    def _repr_html_(self) -> str:
        frame: str = _report().notebook_frame(self.to_html())
        return frame


def _report() -> Any:  # noqa: ANN401
    """Return the package that makes pages; by name, so that no import goes up."""
    return import_module("stakes.report")
