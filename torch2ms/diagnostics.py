"""What the converter has to say about a place in the source, and the table of codes."""
from __future__ import annotations

import enum
from dataclasses import dataclass

from torch2ms.source import Span


class Severity(enum.IntEnum):
    """How much a diagnostic matters; an ERROR makes the exit code 1."""

    NOTE = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table of codes."""

    code: str
    severity: Severity
    title: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message to the user: what happened (message), where (span), and what to do (help)."""

    code: str
    span: Span
    message: str
    help: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of the code."""
        return CODES[self.code].severity


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

# T2M0xx files and syntax, 1xx APIs, 2xx training and autograd, 3xx in-place and aliases, 4xx data and files, 5xx devices and scale, 9xx internal
_ROWS = (
    Code("T2M001", _E, "syntax error", "The file is not valid Python; it is copied unchanged."),
    Code("T2M002", _E, "Python 2 source", "The file is Python 2; convert it to Python 3 first (2to3, pyupgrade)."),
    Code("T2M003", _E, "undecodable file", "The bytes of the file do not fit its declared or default encoding; it is copied unchanged."),
    Code("T2M004", _E, "newer Python syntax", "The file uses syntax newer than the Python that runs torch2ms."),
    Code("T2M005", _E, "unreadable file", "The file or directory could not be read."),
    Code("T2M006", _N, "skipped by a comment", "A `# torch2ms: skip` or `skip-file` comment leaves this code alone."),
    Code("T2M007", _W, "unused skip comment", "A suppression comment suppresses nothing."),
    Code("T2M008", _W, "left out", "A link leads nowhere, or an entry is neither a file, a folder nor a link."),
    Code("T2M009", _E, "PyTorch is left", "The file still uses PyTorch; `torch2ms convert` converts it."),
    Code("T2M010", _E, "unsupported call left", "A call stands for an API without a counterpart and raises when it is reached; rewrite it by hand."),
    Code("T2M011", _N, "project file changed", "A dependency or launch line was changed along with the code."),
    Code("T2M101", _E, "API without a counterpart", "MindSpore has no equal of this PyTorch API; the converted code raises where it is reached."),
    Code("T2M102", _E, "argument that cannot be kept", "The API converts, but not with this argument, which would be dropped or change its meaning."),
    Code("T2M103", _W, "receiver of unknown kind", "The kind of the object is unknown, so a helper asks it at run time."),
    Code("T2M104", _E, "unknown PyTorch API", "The name is not in the tables."),
    Code("T2M105", _W, "dynamic use of an API", "The API is reached by a computed name, which the tool cannot follow."),
    Code("T2M107", _N, "known by its name alone", "The kind of the object is unknown, but nothing else than PyTorch has a method of this name."),
    Code("T2M108", _W, "errors of another type", "MindSpore raises another type of error than PyTorch here, which the handler does not catch."),
    Code("T2M201", _E, "training step not converted", "Forward, backward and step could not be brought into one value_and_grad function or a tape."),
    Code("T2M202", _W, "gradient tape", "The loop keeps its PyTorch shape on a gradient tape; the message names the reason."),
    Code("T2M203", _E, "autograd.Function not converted", "The Function uses something that neither Cell.bprop nor the runtime's Function can express."),
    Code("T2M204", _W, "Function on the tape", "The Function uses the runtime's Function instead of Cell.bprop; the message names the reason."),
    Code("T2M205", _N, "training step converted", "Says which form was taken and why."),
    Code("T2M206", _W, "jit not applied", "`@mindspore.jit` was asked for but cannot be put on this function."),
    Code("T2M207", _E, "not equal without the runtime", "`--pure` leaves this to MindSpore itself, where it means something else or cannot be shown to mean the same."),
    Code("T2M301", _E, "in-place write refused", "The write may reach storage that other names see, and no form keeps its meaning in gradients."),
    Code("T2M302", _W, "in-place write rests on an assumption", "The rewrite is right if the stated assumption holds."),
    Code("T2M303", _N, "copy inserted", "PyTorch's advanced indexing copies, MindSpore's does not; a copy keeps the meaning."),
    Code("T2M401", _E, "whole pickled object", "A pickled model or object can only be read by the library that wrote it; save its state_dict instead."),
    Code("T2M402", _W, "data needs attention", "The data set or file cannot be read as before without the stated step."),
    Code("T2M403", _E, "third-party package needs PyTorch", "This package works on PyTorch objects."),
    Code("T2M501", _W, "device index", "An explicit device index was found; the message says what became of it."),
    Code("T2M503", _E, "distributed or scale feature", "This feature has no equal; the message says the way out."),
    Code("T2M901", _E, "internal error", "The converter failed on this file; the file is left as it was. Please report it."),
    Code("T2M902", _E, "conflicting rewrites", "Two rewrites wanted the same statement; the file is left as it was."),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
