"""The HTML report: self-contained, well-formed, and usable in a real browser."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from torch2ms.project.config import Config
from torch2ms.project.discover import EntryKind
from torch2ms.project.gather import gather_folder
from torch2ms.project.run import Settings, convert_all
from torch2ms.report.code import highlighted
from torch2ms.report.coverage import coverage
from torch2ms.report.html import page
from torch2ms.report.terminal import print_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "input", "br", "img", "link", "hr"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("proj")
    (folder / "a.py").write_text(
        "import torch\n\n\ndef f(x):\n    s = '<b>&'  # <i>\n    return torch.relu(x), torch.fx.symbolic_trace(x)\n"
    )
    (folder / "b.py").write_text("import torch, timm\nx = torch.ones(1)\n")
    (folder / "k.cu").write_text("// kernel\n")
    sources = gather_folder(folder, Config().patterns(Path()), (EntryKind.PYTHON,))
    run = convert_all(sources, Settings())
    return run, coverage(run, sources)


@pytest.fixture(scope="module")
def text(made) -> str:
    return page(*made, "proj <x>")


class Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.links += [v for k, v in found.items() if k in ("href", "src") and v]
        self.ids |= {v for k, v in found.items() if k == "id" and v}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def test_well_formed_and_without_network(text):
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert all(link.startswith("#") and link[1:] in checker.ids for link in checker.links) and checker.links
    assert "http://" not in text and "https://" not in text and "@import" not in text and "url(" not in text


def test_content_is_escaped_and_complete(text):
    assert "proj &lt;x&gt;" in text and "&lt;b&gt;&amp;" in text and "<b>&'" not in text
    for said in (
        "torch.fx.symbolic_trace",
        "T2M10",
        "timm",
        "works on PyTorch objects",
        "k.cu",
        "custom kernel",
        "mint.ones",
        "values, on PyTorch&#39;s samples",
    ):
        assert said in text


def test_highlighting_keeps_every_line():
    source = 'def f():\n\n    """a\n    b"""\n    return 1  # <x>\n'
    assert len(highlighted(source)) == source.count("\n") + 1
    assert "&lt;x&gt;" in highlighted(source)[4]


def test_terminal(made, capsys, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    print_report(*made)
    shown = capsys.readouterr().out
    assert "the APIs of 1 converted uses" in shown
    assert "uses of PyTorch convert" in shown and "torch.fx.symbolic_trace" in shown and "k.cu" in shown
    assert max(map(len, shown.splitlines())) <= 80 and "\x1b" not in shown


PROBE = """
<script>
const key = (k, target) => (target || document).dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
const out = [];
key("/"); out.push(document.activeElement.id);
const search = document.getElementById("search");
search.value = "symbolic_trace"; search.dispatchEvent(new Event("input"));
out.push(document.getElementById("hits").textContent);
out.push([...document.querySelectorAll(".file")].filter((f) => !f.hidden).length);
key("Escape", search); out.push(search.value);
out.push([...document.querySelectorAll(".file")].filter((f) => !f.hidden).length);
key("j"); key("j"); out.push([...document.querySelectorAll(".file")].map((f) => f.open).join());
key("k"); out.push(document.querySelector(".file.current").id);
key("o"); out.push(document.querySelector(".file.current").open);
out.push(document.documentElement.scrollWidth <= window.innerWidth);
document.querySelectorAll("details").forEach((node) => { node.open = true; });
out.push([...document.querySelectorAll(".section")].filter((s) => s.querySelector(".scroll").scrollWidth > s.clientWidth)
  .map((s) => s.querySelector("h2").textContent).join());
document.body.innerHTML = "<p id='probe'>" + out.join("|") + "</p>";
</script>
"""


def seen(html: str, folder: Path, size: str, *options: str) -> list[str]:
    """What the probe of a page says after the browser ran it in a window of this size."""
    (folder / "r.html").write_text(html)
    # a profile of its own, so that several browsers can run at once
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={size}",
        *options,
        "--dump-dom",
        f"file://{folder}/r.html",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.stdout.partition('id="probe">')[2].partition("</p>")[0].split("|")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("size", ["1300,900", "500,900"])
def test_keyboard_search_and_narrow_window(text, tmp_path: Path, size):
    found = seen(text.replace("</body>", PROBE + "</body>"), tmp_path, size)
    assert found[0] == "search"
    assert found[1].split()[0] != found[1].split()[2]
    assert found[2:5] == ["1", "", "2"]
    assert found[5:8] == ["true,true", "f0", "false"]
    assert found[8] == "true", "the page is wider than the window"
    assert found[9] == "", "these tables are wider than the window"


CHANGE = """
<script>
for (const file of document.querySelectorAll(".file")) file.open = true;
const change = document.querySelector(".change");
const tops = (name) => [...change.querySelectorAll(name)].filter((e) => e.textContent).map((e) => e.getBoundingClientRect().top);
const out = [Math.max(...tops(".del")) < Math.min(...tops(".add")), Math.min(...tops(".del")) === Math.min(...tops(".add"))];
out.push([...document.querySelectorAll(".file .said:not(:empty)")].every((e) => e.getBoundingClientRect().right <= innerWidth));
document.body.innerHTML = "<p id='probe'>" + out.join("|") + "</p>";
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_change_stands_side_by_side_and_in_a_narrow_window_old_before_new(tmp_path: Path):
    (tmp_path / "a.py").write_text("import torch\nimport torch.nn as nn\nx = torch.fx.symbolic_trace(nn)\n")
    sources = gather_folder(tmp_path, Config().patterns(Path()), (EntryKind.PYTHON,))
    run = convert_all(sources, Settings())
    text = page(run, coverage(run, sources), "p").replace("</body>", CHANGE + "</body>")
    assert seen(text, tmp_path, "1300,900") == ["false", "true", "true"]
    assert seen(text, tmp_path, "500,900") == ["true", "false", "true"]


COLOURS = """
<script>
for (const node of document.querySelectorAll("details")) node.open = true;
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (text) => rgb(text).slice(0, 3).map((v) => v / 255)
  .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
function behind(node) {
  const own = getComputedStyle(node).backgroundColor;
  return rgb(own)[3] === 0 && node.parentElement ? behind(node.parentElement) : own;
}
const weak = new Set();
for (const node of document.querySelectorAll("header *, main *")) {
  if (![...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())) continue;
  const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) weak.add(`${node.tagName}.${node.className} ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
}
document.body.innerHTML = "<p id='probe'>" + light(getComputedStyle(document.body).backgroundColor).toFixed(1) + "|" + [...weak].join(", ") + "</p>";
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize(("options", "background"), [((), "1.0"), (("--force-dark-mode",), "0.0")])
def test_every_text_is_readable_in_light_and_in_dark(text, tmp_path: Path, options, background):
    """The contrast that WCAG 2.1 asks for, 4.5 to 1: https://www.w3.org/TR/WCAG21/#contrast-minimum"""
    found = seen(text.replace("</body>", COLOURS + "</body>"), tmp_path, "1300,900", *options)
    assert found == [background, ""]
