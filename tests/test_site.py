"""Laws of the scripts that check and publish the site of the documentation."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "docs" / "site"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(folder: Path, body: str = "") -> Path:
    """Return a site of two pages."""
    (folder / "guide").mkdir(parents=True)
    (folder / "index.html").write_text(f'<h1 id="top">stakes</h1>{body}')
    (folder / "guide" / "own.html").write_text(
        '<p id="here"><a href="../index.html#top">up</a><a href="#here">here</a>'
        '<a href="https://example.org/#far">far</a><img src="data:,">'
    )
    return folder


def test_links_that_lead_somewhere_are_no_fault(tmp_path: Path) -> None:
    body = '<a href="guide/own.html#here">own</a><a href="guide/own.html">own</a>'
    assert list(script("check_links").faults(built(tmp_path / "site", body))) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="guide/other.html">x</a>', "leads to no file"),
        ('<a href="guide/own.html#there">x</a>', "leads to no element"),
        ('<a href="#there">x</a>', "leads to no element"),
        ('<a href="../outside.html">x</a>', "leaves the site"),
        ('<img src="picture.png">', "leads to no file"),
        ('<script src="https://example.org/a.js"></script>', "loads https://example.org/a.js"),
        ('<img src="//example.org/a.png">', "loads //example.org/a.png"),
    ],
)
def test_each_bad_link_is_found(tmp_path: Path, body: str, fault: str) -> None:
    found = list(script("check_links").faults(built(tmp_path / "site", body)))
    assert len(found) == 1
    assert found[0].startswith("index.html")
    assert fault in found[0]


def test_a_style_that_loads_is_found(tmp_path: Path) -> None:
    site = built(tmp_path / "site")
    (site / "own.css").write_text("body { background: url('https://example.org/a.png') }")
    assert list(script("check_links").faults(site)) == ["own.css loads from elsewhere"]


def versions(folder: Path) -> dict[str, list[str]]:
    listed = json.loads((folder / "versions.json").read_text())
    return {entry["version"]: entry["aliases"] for entry in listed}


def test_versions_stand_side_by_side_and_the_newest_is_stable(tmp_path: Path) -> None:
    publish, folder = script("publish").publish, tmp_path / "published"
    for version in ("0.2.0", "0.10.0", "latest", "0.9.1"):
        publish(built(tmp_path / version, version), version, folder)
    assert list(versions(folder).items()) == [
        ("0.10.0", ["stable"]), ("0.9.1", []), ("0.2.0", []), ("latest", []),
    ]  # fmt: skip
    for name, shown in [
        *zip(versions(folder), versions(folder), strict=True),
        ("stable", "0.10.0"),
    ]:
        assert (folder / name / "index.html").read_text().endswith(shown)
    assert "url=stable/index.html" in (folder / "index.html").read_text()


def test_a_version_published_again_keeps_nothing_of_the_old(tmp_path: Path) -> None:
    publish, folder = script("publish").publish, tmp_path / "published"
    old = built(tmp_path / "old")
    (old / "gone.html").write_text("gone")
    publish(old, "0.1.0", folder)
    publish(built(tmp_path / "new"), "0.1.0", folder)
    for name in ("0.1.0", "stable"):
        assert not (folder / name / "gone.html").exists()


def test_without_a_release_the_first_page_leads_to_the_main_branch(tmp_path: Path) -> None:
    folder = tmp_path / "published"
    script("publish").publish(built(tmp_path / "site"), "latest", folder)
    assert versions(folder) == {"latest": []}
    assert "url=latest/index.html" in (folder / "index.html").read_text()


@pytest.mark.parametrize("version", ["v0.1.0", "../0.1.0", "stable", "", "0.1.0rc1"])
def test_what_is_no_version_is_refused(tmp_path: Path, version: str) -> None:
    with pytest.raises(ValueError, match="is neither a version such as"):
        script("publish").publish(built(tmp_path / "site"), version, tmp_path / "published")
    assert not (tmp_path / "published").exists()


def test_an_empty_site_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no site: run make docs first"):
        script("publish").publish(tmp_path, "0.1.0", tmp_path / "published")


def test_each_term_is_defined_once_and_links_to_the_glossary_lead_to_terms() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r'^\| ((?:<a id="[^"]*"></a>)*)(\w[^|]*) \|', glossary, re.MULTILINE)
    named = {text: re.findall(r'id="([^"]*)"', ids) for ids, text in rows if text != "term"}
    for text, ids in named.items():
        assert ids == [name.lower().replace(" ", "-") for name in text.split(", ")]
    terms = [name for ids in named.values() for name in ids]
    assert {"miss", "false-alarm", "naive-system", "llr-threshold"} < set(terms)
    assert len(terms) == len(set(terms))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.[mi][dp]*"))]:
        linked = re.findall(r"glossary\.md#([\w-]+)", page.read_text(encoding="utf-8"))
        assert set(linked) <= set(terms), page


def searched(folder: Path, titles: dict[str, str]) -> tuple[Path, Path]:
    """Return a site whose search has some titles, and a reference with one name."""
    site, reference = folder / "site", folder / "reference"
    site.mkdir()
    reference.mkdir()
    items = [{"location": place, "title": title} for place, title in titles.items()]
    (site / "search.json").write_text(json.dumps({"items": items}))
    (reference / "costs.md").write_text("| name | what it is |\n|---|---|\n| `stakes.Cost` | c |\n")
    return site, reference


@pytest.mark.parametrize("title", ["stakes.Cost", "stakes.Cost  <small><code>class</code></small>"])
def test_a_name_that_a_search_finds_is_no_fault(tmp_path: Path, title: str) -> None:
    site, reference = searched(tmp_path, {"reference/costs.html#stakes.Cost": title})
    assert list(script("check_search").faults(site, reference)) == []


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("reference/costs.html", "stakes.Cost"),
        ("reference/costs.html#stakes.Cost", "Cost"),
        ("reference/scores.html#stakes.Cost", "stakes.Cost"),
        ("reference/costs.html#stakes.CostMatrix", "stakes.CostMatrix"),
        ("reference/costs.html#stakes.Cost", ""),
    ],
)
def test_a_name_that_no_search_finds_is_a_fault(tmp_path: Path, place: str, title: str) -> None:
    found = list(script("check_search").faults(*searched(tmp_path, {place: title})))
    assert found == ["costs.md: a search does not find stakes.Cost"]
