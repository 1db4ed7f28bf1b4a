"""Bytes of a Python file to text and back, with nothing lost: encoding cookie, byte order mark, newlines."""

from __future__ import annotations

import codecs
import io
import tokenize

from torch2ms.diagnostics import Diagnostic
from torch2ms.source import SourceFile, Span

_START = Span(1, 0, 1, 0)


def decode(data: bytes, path: str) -> SourceFile | Diagnostic:
    """The source in `data`, or the diagnostic (T2M003) that says why it is no text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Diagnostic("T2M003", _START, "the file is in UTF-16, which Python does not read", "save it as UTF-8")
    if b"\0" in data:
        return Diagnostic("T2M003", _START, "the file is binary: it contains null bytes")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        return Diagnostic("T2M003", _START, f"the encoding of the file is unknown: {error.msg or error}")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return _undecodable(data, encoding, error)
    return SourceFile(path, text, encoding, _newline(data))


def encode(text: str, source: SourceFile) -> bytes:
    """The bytes of `text` in the encoding of `source` (UnicodeEncodeError where the encoding lacks a character)."""
    return text.encode(source.encoding)


def _undecodable(data: bytes, encoding: str, error: UnicodeDecodeError) -> Diagnostic:
    before = data[: error.start]
    line = before.count(b"\n") + 1
    col = len(before) - (before.rfind(b"\n") + 1)
    hint = "save it as UTF-8, or declare its encoding on the first line: # -*- coding: ... -*-"
    message = f"byte 0x{data[error.start]:02x} is not {encoding.removesuffix('-sig')}"
    return Diagnostic("T2M003", Span(line, col, line, col), message, hint)


def _newline(data: bytes) -> str:
    end = data.find(b"\n")
    if end > 0 and data[end - 1 : end] == b"\r":
        return "\r\n"
    return "\r" if end < 0 and b"\r" in data else "\n"


def has_bom(data: bytes) -> bool:
    """Whether the bytes begin with the UTF-8 byte order mark."""
    return data.startswith(codecs.BOM_UTF8)
