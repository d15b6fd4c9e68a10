"""A table of the paper, computed again beside the printed one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A number of a table: as computed here and as printed in the paper, if it is printed there."""

    value: float
    printed: str = ""

    @property
    def decimals(self) -> int:
        """How many decimals were printed."""
        return len(self.printed.partition(".")[2])

    @property
    def agrees(self) -> bool:
        """Whether the value rounds to the printed digits; a tie may have gone either way."""
        if not self.printed:
            return False
        unit = 10.0**-self.decimals
        return abs(self.value - float(self.printed)) <= unit / 2 * (1 + 1e-9)

    @property
    def text(self) -> str:
        """The value, the printed digits, and = where they agree or ! where they do not."""
        if not self.printed:
            return f"{self.value:.4f}"
        return f"{self.value:.{self.decimals + 1}f} {self.printed} {'=' if self.agrees else '!'}"


@dataclass(frozen=True)
class Reproduction:
    """A table of the paper, computed again beside the printed one."""

    label: str
    title: str
    row_names: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell, ...]], ...]

    @property
    def printed_cells(self) -> tuple[Cell, ...]:
        """The cells that the paper prints, row by row."""
        return tuple(cell for _, cells in self.rows for cell in cells if cell.printed)

    @property
    def agreeing(self) -> int:
        """How many printed cells agree."""
        return sum(cell.agrees for cell in self.printed_cells)


def row_of(
    names: tuple[str, ...], values: list[float], printed: str = ""
) -> tuple[tuple[str, ...], tuple[Cell, ...]]:
    """Return a row: values beside printed digits, or alone."""
    digits = printed.split() if printed else [""] * len(values)
    return names, tuple(Cell(v, text) for v, text in zip(values, digits, strict=True))
