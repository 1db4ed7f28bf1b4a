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
document.body.innerHTML = "<p id='probe'>" + out.join("|") + "</p>";
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("size", ["1300,900", "500,900"])
def test_keyboard_search_and_narrow_window(text, tmp_path: Path, size):
    (tmp_path / "r.html").write_text(text.replace("</body>", PROBE + "</body>"))
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={size}",
        "--dump-dom",
        f"file://{tmp_path}/r.html",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = done.stdout.partition('id="probe">')[2].partition("</p>")[0].split("|")
    assert found[0] == "search"
    assert found[1].split()[0] != found[1].split()[2]
    assert found[2:5] == ["1", "", "2"]
    assert found[5:8] == ["true,true", "f0", "false"]
    assert found[8] == "true", "the page is wider than the window"
