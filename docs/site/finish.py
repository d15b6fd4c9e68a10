"""What a built site still needs: no address of others, the cheat sheet as PDF, files as they are.

A browser that reads the site from a disk cannot start the worker that searches, unless a small
script stands in for it. The theme loads that script from elsewhere; here it is fetched by npm,
pinned, and put into the site. Where npm or Chromium is missing, a line says what was left out.
Standard library only.
"""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
AS_THEY_ARE = ("llms.txt", "SKILL.md")  # for programs that read text, at the root of the site
SHIM = "iframe-worker@1.0.4"
_TAG = re.compile(r'<script src="?https://unpkg\.com/iframe-worker/shim"?[^>]*></script>')
_FEWEST_BYTES = 1_000  # of a page


def finish(site: Path) -> None:
    """Change the built site in place."""
    shim = _shim()
    if shim is not None:
        (site / "assets" / "iframe-worker.js").write_bytes(shim)
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        own = f'<script src="{up}assets/iframe-worker.js"></script>' if shim else ""
        text = page.read_text(encoding="utf-8")
        page.write_text(_TAG.sub(own, text), encoding="utf-8")
    add_text_files(site)
    _print_cheat_sheet(site)


def add_text_files(site: Path) -> None:
    """Copy what programs read into the site."""
    for name in AS_THEY_ARE:
        shutil.copy(DOCS / name, site)


def _shim() -> bytes | None:
    npm = shutil.which("npm")
    if npm is None:
        print("without npm: search works where the site is served, not from a disk")
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", "--silent", SHIM]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            script = archive.extractfile("package/shim/index.js")
            return script.read() if script else None


def _print_cheat_sheet(site: Path) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        print("without Chromium: no PDF of the cheat sheet")
        return
    pdf = (site / "cheat-sheet.pdf").resolve()
    page = (site / "cheat-sheet.html").resolve().as_uri()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    with tempfile.TemporaryDirectory() as profile:
        options.append(f"--user-data-dir={profile}")
        command = [browser, *options, f"--print-to-pdf={pdf}", page]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    if pdf.stat().st_size < _FEWEST_BYTES:
        raise SystemExit("the PDF of the cheat sheet is empty")
    html = site / "cheat-sheet.html"
    link = '</h1><p class="pdf"><a href="cheat-sheet.pdf">As PDF, on one page</a></p>'
    html.write_text(html.read_text(encoding="utf-8").replace("</h1>", link, 1), encoding="utf-8")


if __name__ == "__main__":
    finish(Path(sys.argv[1]))
