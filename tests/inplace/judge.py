"""Runs one program under PyTorch and its conversion under MindSpore, and says how they compare."""

from __future__ import annotations

import enum
import warnings
from dataclasses import dataclass

import mindspore

from tests.side_by_side import assert_equal, execute, plain
from torch2ms.convert import convert_source
from torch2ms.diagnostics import Severity
from torch2ms.runtime import _backend

TOLERANCE = 1e-4


class Verdict(enum.Enum):
    """What a run showed."""

    EQUAL = "equal"
    REFUSED = "refused"
    INVALID = "PyTorch raises"
    DIFFERS = "differs"
    WARNED = "differs, after a warning"
    FAILS = "raises without a refusal"
    CRASH = "the process died"


FAULTS = frozenset({Verdict.DIFFERS, Verdict.WARNED, Verdict.FAILS, Verdict.CRASH})


@dataclass(frozen=True)
class Outcome:
    """A verdict with its evidence."""

    verdict: Verdict
    detail: str = ""
    converted: str = ""
    lines: tuple[int, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether the converter is wrong here."""
        return self.verdict in FAULTS


def judge(text: str) -> Outcome:
    """Runs both sides; a refusal has to raise where it is reached, everything else has to be equal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = plain(execute(text, "torch_program")["RESULT"])
    except Exception as error:  # noqa: BLE001 whatever PyTorch refuses is not a program
        return Outcome(Verdict.INVALID, f"{type(error).__name__}: {error}")
    result = convert_source(text, path="program.py")
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    said = "\n".join(f"{d.span.line} {d.code} {d.message}" for d in result.diagnostics if d.severity is not Severity.NOTE)
    lines = tuple(d.span.line for d in errors)
    if any(d.code.startswith("T2M9") for d in result.diagnostics):
        return Outcome(Verdict.FAILS, said, result.text, lines)
    mindspore.runtime.launch_blocking()
    try:
        found = plain(execute(result.text, "mindspore_program")["RESULT"])
    except NotImplementedError as error:
        refused = bool(errors) and "unsupported(" in result.text
        return Outcome(Verdict.REFUSED if refused else Verdict.FAILS, said or str(error), result.text, lines)
    except Exception as error:  # noqa: BLE001 any other error is a finding
        return Outcome(Verdict.FAILS, f"{type(error).__name__}: {error}"[:2000] + "\n" + said, result.text, lines)
    finally:
        _backend.stop_recording()
        _backend.set_grad_enabled(True)
    try:
        assert_equal(expected, found, TOLERANCE)
    except AssertionError as error:
        warned = any(d.code == "T2M302" for d in result.diagnostics)
        verdict = Verdict.WARNED if warned else Verdict.DIFFERS
        return Outcome(verdict, f"{error}"[:2000] + "\n" + said, result.text, lines)
    return Outcome(Verdict.REFUSED if errors else Verdict.EQUAL, said, result.text, lines)
