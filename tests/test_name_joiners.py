"""Joiners that spelling needs stay in names; everywhere else they are shown as escapes."""

import pytest

from stakes._text import plain

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
RAINBOW = "\N{WAVING WHITE FLAG}\ufe0f\u200d\N{RAINBOW}"
DOCTOR = "\N{WOMAN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}\u200d\N{STAFF OF AESCULAPIUS}\ufe0f"
BOOKS = "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627"  # Persian, with a zero width non-joiner
HINDI = "\u0915\u094d\u200d\u0937"


@pytest.mark.parametrize("name", [FAMILY, RAINBOW, DOCTOR, BOOKS, HINDI, f"a {FAMILY} b"])
def test_joiners_of_spelling_stay(name: str) -> None:
    assert plain(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "tu\u200dmour", "tu\u200cmour", "\u200d", f"\u200d{FAMILY}", f"{FAMILY}\u200d",
        "\N{MAN}\u200c\N{WOMAN}", "\N{MAN}\u200d\u200d\N{WOMAN}", f"{BOOKS}\u200c", "a\u202eb", "a\u200d\N{MAN}",
        "\u06a9\u200d\u062a",
    ],
)  # fmt: skip
def test_joiners_elsewhere_are_shown(name: str) -> None:
    shown = plain(name)
    assert "\\u20" in shown
    assert plain(shown) == shown


def test_a_cut_name_ends_in_no_joiner() -> None:
    shown = plain(FAMILY * 30)
    assert shown.endswith("…")
    assert shown[-2] not in "\u200c\u200d"
