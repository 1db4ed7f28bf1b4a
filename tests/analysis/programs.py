"""Programs under analysis: facts of one source or of several files, and expectations written as comments on their lines."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts, facts_for, project_facts
from torch2ms.analysis.lattice import KindInfo
from torch2ms.source import SourceFile

_EXPECTED = re.compile(r"^#\s*(?P<expr>.+?):\s*(?P<what>[^:]+)$")


def facts(source: str, module: str = "") -> Facts:
    """The facts of a lone file."""
    text = textwrap.dedent(source)
    return facts_for(SourceFile(f"{module or 'program'}.py", text), ast.parse(text), module)


def project(files: dict[str, str]) -> dict[str, Facts]:
    """The facts of every file of {path: source}."""
    texts = {path: textwrap.dedent(source) for path, source in files.items()}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    names = {path: path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in files}
    facts_of_all = project_facts({names[path]: (path, tree) for path, tree in trees.items()})
    return {path: facts_for(SourceFile(path, texts[path]), trees[path], names[path], facts_of_all) for path in files}


def expressions(tree: ast.AST, line: int, text: str) -> Iterator[ast.expr]:
    """The expressions on a line that read like `text`."""
    wanted = ast.unparse(ast.parse(text, mode="eval"))
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and node.lineno == line and ast.unparse(node) == wanted:
            yield node


def expectations(found: Facts) -> Iterator[tuple[int, str, str]]:
    """(line, expression, what is said of it) of comments like `# x.y: TENSOR`; several are separated by `;`."""
    for token in tokenize.generate_tokens(io.StringIO(found.source.text).readline):
        if token.type == tokenize.COMMENT:
            for part in token.string.lstrip("# ").split(";"):
                match = _EXPECTED.match(f"# {part.strip()}")
                if match:
                    yield token.start[0], match["expr"], match["what"].strip()


def described(info: KindInfo) -> str:
    """`TENSOR`, `TENSOR int64`, `MODULE torch.nn.Linear`; `~` after what is not certain, `?` after what may be None or a number."""
    text = (
        info.kind.name + ("?" if info.optional else "") + ("" if info.certain or info.kind.name == "UNKNOWN" else "~")
    )
    extra = info.cls or (info.dtype if info.kind.name == "TENSOR" else None)
    return f"{text} {extra}" if extra else text


def check_kinds(found: Facts) -> None:
    """Compares the kinds of the expressions that the comments name; a comment may leave out class and dtype."""
    checked = 0
    for line, expr, what in expectations(found):
        nodes = list(expressions(found.tree, line, expr))
        assert nodes, f"line {line}: no expression {expr!r}"
        got = described(found.kinds.of(nodes[-1]))
        short = got.split(" ")[0]
        assert what in (got, short), f"line {line}: {expr} is {got}, expected {what}"
        checked += 1
    assert checked, "the program expects nothing"


def check_names(found: Facts) -> None:
    """Compares the canonical names of the Names and Attributes that the comments name; `-` stands for None."""
    checked = 0
    for line, expr, what in expectations(found):
        nodes = [n for n in expressions(found.tree, line, expr) if isinstance(n, (ast.Name, ast.Attribute))]
        assert nodes, f"line {line}: no name {expr!r}"
        got = found.names.of(nodes[-1]) or "-"
        assert got == what, f"line {line}: {expr} is {got}, expected {what}"
        checked += 1
    assert checked, "the program expects nothing"
