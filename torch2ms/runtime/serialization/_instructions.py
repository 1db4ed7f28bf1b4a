"""The pickle instructions that a checkpoint may use. https://docs.python.org/3/library/pickletools.html

A name in the pickle is looked up in a table of builders (`_builders.py`); what is not there is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ._errors import DamagedCheckpoint, UnsafeCheckpoint
from ._machine import MARK, Machine, check_key

# what malformed input makes the instructions raise
_MALFORMED = (IndexError, KeyError, TypeError, ValueError, AttributeError, OverflowError, struct.error, RecursionError)
# how far back an object can lie in the memo when its state arrives
_RECENT = 64

_INSTRUCTIONS: dict[int, Callable[[Machine], None]] = {}


def run(machine: Machine) -> Any:
    """Return the object of a pickle; the machine's position is then behind it."""
    try:
        while True:
            code = machine.take(1)[0]
            if code == ord("."):
                return machine.stack.pop()
            instruction = _INSTRUCTIONS.get(code)
            if instruction is None:
                raise UnsafeCheckpoint(f"the pickle instruction {bytes([code])!r} is not allowed in a checkpoint")
            instruction(machine)
    except _MALFORMED as error:
        raise DamagedCheckpoint(f"the checkpoint is damaged near byte {machine.position}: {error}") from error


def _instruction(code: str) -> Callable[[Callable[[Machine], None]], Callable[[Machine], None]]:
    def add(function: Callable[[Machine], None]) -> Callable[[Machine], None]:
        _INSTRUCTIONS[ord(code)] = function
        return function

    return add


def _constant(value: Any) -> Callable[[Machine], None]:
    return lambda machine: machine.push(value)


for _code, _value in (("N", None), ("\x88", True), ("\x89", False), (")", ())):
    _instruction(_code)(_constant(_value))
_instruction("(")(lambda m: m.push(MARK))
_instruction("0")(lambda m: (m.stack.pop(), None)[1])
_instruction("1")(lambda m: (m.to_mark(), None)[1])
_instruction("2")(lambda m: m.push(m.stack[-1]))
_instruction("\x95")(lambda m: (m.take(8), None)[1])
_instruction("]")(lambda m: m.push([], 64))
_instruction("}")(lambda m: m.push({}, 64))
_instruction("\x8f")(lambda m: m.push(set(), 216))
_instruction("J")(lambda m: m.push(m.number("<i"), 28))
_instruction("K")(lambda m: m.push(m.number("<B")))
_instruction("M")(lambda m: m.push(m.number("<H"), 28))
_instruction("G")(lambda m: m.push(m.number(">d"), 24))
_instruction("X")(lambda m: m.text(m.number("<I")))
_instruction("\x8c")(lambda m: m.text(m.number("<B")))
_instruction("\x8d")(lambda m: m.text(m.number("<Q")))
_instruction("B")(lambda m: m.raw(m.number("<I")))
_instruction("C")(lambda m: m.raw(m.number("<B")))
_instruction("\x8e")(lambda m: m.raw(m.number("<Q")))
_instruction("\x96")(lambda m: m.raw(m.number("<Q"), bytearray))
_instruction("T")(lambda m: m.old_text(m.number("<i")))
_instruction("U")(lambda m: m.old_text(m.number("<B")))
_instruction("q")(lambda m: m.remember(m.number("<B")))
_instruction("r")(lambda m: m.remember(m.number("<I")))
_instruction("\x94")(lambda m: m.remember(len(m.memo)))
_instruction("h")(lambda m: m.push(m.memo[m.number("<B")]))
_instruction("j")(lambda m: m.push(m.memo[m.number("<I")]))
_instruction("Q")(lambda m: m.push(m.persistent(m.stack.pop()), 64))
_instruction("c")(lambda m: m.push(m.find(m.line(), m.line())))


@_instruction("\x80")
def _protocol(machine: Machine) -> None:
    version = machine.number("<B")
    if version > 5:
        raise DamagedCheckpoint(f"pickle protocol {version} is unknown")


def _long(machine: Machine, length: int) -> None:
    part = machine.take(length)
    machine.push(int.from_bytes(part, "little", signed=True), 28 + length)


_instruction("\x8a")(lambda m: _long(m, m.number("<B")))
_instruction("\x8b")(lambda m: _long(m, m.number("<i")))


def _tuple(machine: Machine, values: list[Any]) -> None:
    machine.push(tuple(values), 48 + 8 * len(values))


def _tuple_of(count: int) -> Callable[[Machine], None]:
    def build(machine: Machine) -> None:
        values = [machine.stack.pop() for _ in range(count)]
        _tuple(machine, values[::-1])

    return build


for _count, _code in ((1, "\x85"), (2, "\x86"), (3, "\x87")):
    _instruction(_code)(_tuple_of(_count))
_instruction("t")(lambda m: _tuple(m, m.to_mark()))


@_instruction("l")
def _list(machine: Machine) -> None:
    values = machine.to_mark()
    machine.push(values, 64 + 8 * len(values))


@_instruction("d")
def _dict(machine: Machine) -> None:
    values = machine.to_mark()
    machine.push({}, 64)
    _set_items(machine, values)


@_instruction("a")
def _append(machine: Machine) -> None:
    value = machine.stack.pop()
    machine.budget.charge(8)
    machine.top(list).append(value)


@_instruction("e")
def _appends(machine: Machine) -> None:
    values = machine.to_mark()
    machine.budget.charge(8 * len(values))
    machine.top(list).extend(values)


def _set_items(machine: Machine, values: list[Any]) -> None:
    if len(values) % 2:
        raise DamagedCheckpoint("a dict of the checkpoint has a key without a value")
    machine.budget.charge(16 * len(values))
    target = machine.top(dict)
    for key, value in zip(values[::2], values[1::2]):
        target[check_key(key)] = value


_instruction("u")(lambda m: _set_items(m, m.to_mark()))


@_instruction("s")
def _set_item(machine: Machine) -> None:
    value, key = machine.stack.pop(), machine.stack.pop()
    _set_items(machine, [key, value])


@_instruction("\x90")
def _add_items(machine: Machine) -> None:
    values = machine.to_mark()
    machine.budget.charge(32 * len(values))
    machine.top(set).update(check_key(value) for value in values)


@_instruction("\x91")
def _frozenset(machine: Machine) -> None:
    values = machine.to_mark()
    machine.push(frozenset(check_key(value) for value in values), 216 + 32 * len(values))


@_instruction("\x93")
def _stack_global(machine: Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise DamagedCheckpoint("a name of the checkpoint is no text")
    machine.push(machine.find(module, name))


@_instruction("R")
def _reduce(machine: Machine) -> None:
    arguments, builder = machine.stack.pop(), machine.stack.pop()
    machine.push(builder.build(arguments, machine.budget), 64)


@_instruction("\x81")
def _new(machine: Machine) -> None:
    arguments, builder = machine.stack.pop(), machine.stack.pop()
    machine.push(builder.new(arguments, machine.budget), 64)


@_instruction("b")
def _build(machine: Machine) -> None:
    state = machine.stack.pop()
    draft = machine.stack[-1]
    built = machine.with_state(draft, state, machine.budget)
    machine.stack[-1] = built
    for index in range(len(machine.memo) - 1, max(-1, len(machine.memo) - 1 - _RECENT), -1):
        if machine.memo[index] is draft:
            machine.memo[index] = built
