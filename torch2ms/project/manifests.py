"""Dependency files and launch scripts of a project, each read by a parser of its own format."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Callable, Iterator
from typing import Any

from torch2ms.project.requirements import Wanted, change_install_line, change_requirements

Change = Callable[[str, Wanted], str]


def changer(rel: str) -> Change | None:
    """The function that changes a file of this name; None for files that are none of a project's dependency files."""
    name = rel.rpartition("/")[2]
    for pattern, change in _CHANGERS:
        if fnmatch.fnmatch(name, pattern):
            return change
    folder = rel.rpartition("/")[0].rpartition("/")[2]
    return change_requirements if folder == "requirements" and name.endswith((".txt", ".in")) else None


def change_pyproject(text: str, wanted: Wanted) -> str:
    """pyproject.toml: dependencies, optional dependencies, dependency groups, and Poetry's tables."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return text
    changed = False
    for holder, key in _toml_lists(document):
        changed |= _change_items(holder[key], wanted)
    for table in _poetry_tables(document):
        if "torch" in table and not wanted.keep_torch:
            for name in ("torch", "torchvision", "torchaudio"):
                table.pop(name, None)
            table["mindspore"] = ">=2.10,<2.11"
            if wanted.runtime:
                table[wanted.runtime] = "*"
            changed = True
    return tomlkit.dumps(document) if changed else text


def _toml_lists(document: Any) -> Iterator[tuple[Any, str]]:
    project = document.get("project", {})
    if isinstance(project.get("dependencies"), list):
        yield project, "dependencies"
    for holder in (project.get("optional-dependencies", {}), document.get("dependency-groups", {})):
        for key in list(holder):
            if isinstance(holder[key], list):
                yield holder, key


def _poetry_tables(document: Any) -> Iterator[Any]:
    poetry = document.get("tool", {}).get("poetry", {})
    groups = [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    yield from (table for table in (poetry.get("dependencies", {}), *groups) if table)


def _change_items(items: Any, wanted: Wanted) -> bool:
    """Changes an array entry by entry, so that its layout and comments stay."""
    present = {str(item) for item in items}
    changed = False
    for index in range(len(items) - 1, -1, -1):
        instead = wanted.instead(items[index]) if isinstance(items[index], str) else None
        if instead is None:
            continue
        new = [text for text in instead if text == items[index] or text not in present]
        if new == [items[index]]:
            continue
        changed = True
        if not new:
            del items[index]
            continue
        items[index] = new[0]
        for offset, text in enumerate(new[1:], 1):
            items.insert(index + offset, text)
    return changed


def change_setup_cfg(text: str, wanted: Wanted) -> str:
    """setup.cfg: the lines of install_requires and of extras_require."""
    lines = text.splitlines(keepends=True)
    out: list[str] = []
    section, key = "", ""
    for line in lines:
        if match := re.match(r"\[([^\]]+)\]", line):
            section, key = match[1].strip(), ""
        elif match := re.match(r"(\w[\w.-]*)\s*[=:]", line):
            key = match[1]
        elif line[:1] in " \t" and (
            key == "install_requires" and section == "options" or section == "options.extras_require"
        ):
            indent = line[: len(line) - len(line.lstrip())]
            changed = change_requirements(line.lstrip(), wanted)
            out += [indent + part for part in changed.splitlines(keepends=True)]
            continue
        out.append(line)
    return "".join(out)


def change_setup_py(text: str, wanted: Wanted) -> str:
    """setup.py: requirements among the strings of list and tuple displays, at their exact places."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return text
    lines = text.splitlines(keepends=True)
    strings = [
        e for n in ast.walk(tree) if isinstance(n, (ast.List, ast.Tuple)) for e in n.elts if isinstance(e, ast.Constant)
    ]
    present = {c.value for c in strings}
    for node in sorted(strings, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        instead = wanted.instead(node.value) if isinstance(node.value, str) else None
        if instead is None or node.lineno != node.end_lineno or node.end_col_offset is None:
            continue
        line = lines[node.lineno - 1].encode()
        quote = chr(line[node.col_offset])
        if quote not in "'\"":
            continue
        new = ", ".join(f"{quote}{name}{quote}" for name in instead if name == node.value or name not in present)
        end = node.end_col_offset
        if not new:
            end += len(re.match(rb"\s*,?[ \t]*", line[end:])[0])  # type: ignore[index]
        lines[node.lineno - 1] = (line[: node.col_offset] + new.encode() + line[end:]).decode()
    return "".join(lines)


def change_shell(text: str, wanted: Wanted) -> str:
    """Dockerfiles and shell scripts: `pip install` lines and PyTorch's launchers."""
    lines = text.splitlines(keepends=True)
    return "".join(
        _launch(change_install_line(line, wanted)) if not line.lstrip().startswith("#") else line for line in lines
    )


_LAUNCHER = re.compile(
    r"(?<![\w./-])(?:torchrun|python3?\s+-m\s+torch\.distributed\.(?:launch|run))((?:\s+--?[\w-]+(?:[= ]\S+)?)*?)(?=\s+\S+\.py\b)"
)
_KEPT = {"nnodes": None, "node_rank": "node_rank", "master_addr": "master_addr", "master_port": "master_port"}


def _launch(line: str) -> str:
    return _LAUNCHER.sub(_msrun, line)


def _msrun(match: re.Match[str]) -> str:
    options = {name.replace("-", "_"): value for name, value in re.findall(r"--?([\w-]+)[= ](\S+)", match[1])}
    local = options.pop("nproc_per_node", None)
    nodes = options.pop("nnodes", "1")
    if local is None or not local.isdigit() or not nodes.isdigit():
        return match[0]  # `gpu`, `auto` and elastic ranges have no equal; the line stays and the report says so
    words = [f"--worker_num={int(local) * int(nodes)}", f"--local_worker_num={local}"]
    words += [f"--{_KEPT[name]}={value}" for name, value in options.items() if _KEPT.get(name)]
    return "msrun " + " ".join([*words, "--join=True"])


def change_environment(text: str, wanted: Wanted) -> str:
    """environment.yml of conda: PyTorch's packages and channels go, MindSpore comes through pip."""
    import yaml

    try:
        root = yaml.compose(text)
    except yaml.YAMLError:
        return text
    from torch2ms.project.environment import edited

    return edited(text, root, wanted)


_CHANGERS: tuple[tuple[str, Change], ...] = (
    ("requirements*.txt", change_requirements),
    ("requirements*.in", change_requirements),
    ("*requirements.txt", change_requirements),
    ("pyproject.toml", change_pyproject),
    ("setup.cfg", change_setup_cfg),
    ("setup.py", change_setup_py),
    ("environment*.yml", change_environment),
    ("environment*.yaml", change_environment),
    ("Dockerfile*", change_shell),
    ("*.dockerfile", change_shell),
    ("*.sh", change_shell),
)
