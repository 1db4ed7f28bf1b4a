"""What the facts say about an argument."""
from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torch2ms.rules.site import Site

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

# PyTorch's data types and their names in MindSpore
DTYPES: dict[str, str] = {
    "bool": "bool_", "uint8": "uint8", "int8": "int8", "int16": "int16", "short": "int16", "int32": "int32", "int": "int32",
    "int64": "int64", "long": "int64", "float16": "float16", "half": "float16", "bfloat16": "bfloat16", "float32": "float32",
    "float": "float32", "float64": "float64", "double": "float64", "complex64": "complex64", "cfloat": "complex64",
    "complex128": "complex128", "cdouble": "complex128", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
}
# legacy tensor classes and the data types that they stand for
LEGACY: dict[str, str] = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64", "IntTensor": "int32", "ShortTensor": "int16", "ByteTensor": "uint8", "CharTensor": "int8", "BoolTensor": "bool_",
}


def kind_of(facts: Facts, node: ast.expr) -> str:
    """The name of the expression's kind where it is certain, else UNKNOWN."""
    info = facts.kinds.of(node)
    return info.kind.name if info.certain else "UNKNOWN"


def is_range(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression is a range, which mindspore.tensor does not take."""
    return facts.kinds.of(node).cls == "builtins.range"


def is_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression is a tensor for sure."""
    return kind_of(facts, node) in ("TENSOR", "PARAMETER")


def is_number(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression is a Python number for sure."""
    match node:
        case ast.Constant(value=value) | ast.UnaryOp(operand=ast.Constant(value=value)):
            return isinstance(value, (int, float)) and not isinstance(value, bool)
    return kind_of(facts, node) == "NUMBER"


def is_dtype(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression is a data type for sure."""
    name = facts.names.of(node) or ""
    if name.startswith("torch.") and name[6:] in DTYPES:
        return True
    return isinstance(node, ast.Attribute) and node.attr == "dtype" or kind_of(facts, node) == "DTYPE"


_NAMED = re.compile(r"(cuda|cpu|npu|mps|xpu|gpu|ascend|meta)(:\d*)?$", re.IGNORECASE)


def is_named_device(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression can be nothing but a device of PyTorch: the object, or its name as text."""
    match node:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return _NAMED.match(text) is not None
        case ast.IfExp(body=body, orelse=orelse):
            return is_named_device(facts, body) and is_named_device(facts, orelse)
        case ast.Call(func=func):
            return facts.names.of(func) in ("torch.device", "torch.accelerator.current_accelerator")
    return kind_of(facts, node) == "DEVICE"


def is_device(facts: Facts, node: ast.expr) -> bool:
    """Whether the expression is a device (also as text or index) for sure."""
    match node:
        case ast.Constant(value=str() | int()) | ast.JoinedStr():
            return True
        case ast.Attribute(attr="device"):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return is_device(facts, body) and is_device(facts, orelse)
        case ast.Call(func=func):
            if facts.names.of(func) in ("torch.device", "torch.cuda.current_device"):
                return True
    return kind_of(facts, node) in ("DEVICE", "STRING", "NUMBER")


def dtype_name(facts: Facts, node: ast.expr) -> str | None:
    """`mindspore.float32` for `torch.float`, `'torch.FloatTensor'` or `torch.FloatTensor`; None for anything else."""
    name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else facts.names.of(node) or ""
    if not isinstance(name, str) or not name.startswith("torch."):
        return None
    last = name.removeprefix("torch.cuda.").removeprefix("torch.")
    found = DTYPES.get(last) or LEGACY.get(last) or ("float32" if last == "Tensor" else None)
    return f"mindspore.{found}" if found else None


def in_statement_alone(site: Site) -> ast.Expr | None:
    """The statement, if it consists of the site's expression alone."""
    parent = site.parent()
    return parent if isinstance(parent, ast.Expr) else None
