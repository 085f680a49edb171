"""`triton._utils`: names and widths of element types, and paths into nested tuples.

canonicalize_dtype(torch.bfloat16)           "bf16"
get_primitive_bitwidth("fp8e5")              8
find_paths_if((1, (None, 2)), pred)          the paths of the leaves for which pred(path, leaf)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeAlias

from weft.language.compound_types import MAX_BLOCK_ELEMENTS, check_block_shape
from weft.language.dtypes import SIGNATURE_TYPES, dtype, void
from weft.language.tuples import tuple_type

__all__ = [
    "BITWIDTH_DICT",
    "TRITON_MAX_TENSOR_NUMEL",
    "apply_with_path",
    "canonicalize_dtype",
    "canonicalize_ptr_dtype",
    "find_paths_if",
    "get_iterable_path",
    "get_primitive_bitwidth",
    "is_iterable",
    "is_namedtuple",
    "is_power_of_two",
    "set_iterable_path",
    "type_canonicalisation_dict",
    "validate_block_shape",
]

TRITON_MAX_TENSOR_NUMEL = MAX_BLOCK_ELEMENTS
ObjPath: TypeAlias = tuple[int, ...]

_TYPES: dict[str, dtype] = SIGNATURE_TYPES | {"void": void}
# Names of torch, numpy and C → the name in a signature.
_OTHER_NAMES = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1", "u1": "u1",
    "float8_e4m3fn": "fp8e4nv", "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2": "fp8e5", "float8_e5m2fnuz": "fp8e5b16",
    "half": "fp16", "float": "fp32", "double": "fp64", "int": "i32",
}  # fmt: skip

type_canonicalisation_dict: dict[str, str] = {
    **{each.codegen_name: each.signature_name for each in _TYPES.values()},
    **{each.signature_name: each.signature_name for each in _TYPES.values()},
    **_OTHER_NAMES,
}
"""The name in a signature of each name of an element type."""

BITWIDTH_DICT: dict[str, int] = {
    "u1": 1,
    "i1": 1,
    **{name: _TYPES[short].primitive_bitwidth
       for name, short in type_canonicalisation_dict.items()},
}  # fmt: skip
"""The width in bits of each name of an element type."""


def canonicalize_dtype(dtype: object) -> str:
    """Get the name in a signature of a dtype of torch, numpy or the language.

    Raises:
        KeyError: It has none.
    """
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype: object, is_const: bool) -> str:
    """Get the name in a signature of a pointer to elements of a dtype."""
    return f"{'*k' if is_const else '*'}{canonicalize_dtype(dtype)}"


def get_primitive_bitwidth(dtype: str) -> int:
    """Get the width in bits of an element type, by any of its names."""
    return BITWIDTH_DICT[dtype]


def is_power_of_two(x: int) -> bool:
    """Check whether an integer is a power of two, or 0."""
    return x & (x - 1) == 0


def validate_block_shape(shape: list[int]) -> int:
    """Check the shape of a block.

    Returns:
        The number of elements.

    Raises:
        TypeMismatchError: An extent is no power of two, or the block has too many elements.
    """
    return reduce(lambda count, extent: count * extent, check_block_shape(shape), 1)


def is_namedtuple(val: object) -> bool:
    """Check whether a value is a class of named tuples."""
    return isinstance(val, type) and issubclass(val, tuple) and hasattr(val, "_fields")


def is_iterable(x: object) -> bool:
    """Check whether a value is a list, a tuple or the type of a tuple."""
    return isinstance(x, list | tuple | tuple_type)


def get_iterable_path(iterable: Any, path: ObjPath) -> Any:  # nested tuples of anything
    """Get the member of nested tuples at a path."""
    return reduce(lambda value, index: value[index], path, iterable)


def set_iterable_path(iterable: Any, path: ObjPath, val: object) -> None:
    """Set the member of nested lists at a path."""
    get_iterable_path(iterable, path[:-1])[path[-1]] = val


def apply_with_path(
    value: Any, fn: Callable[[ObjPath, Any], None], _path: ObjPath | None = None
) -> None:
    """Call a function with the path and the value of each leaf of nested tuples."""
    path = _path or ()
    if not is_iterable(value):
        fn(path, value)
        return
    for index, member in enumerate(value):
        apply_with_path(member, fn, (*path, index))


def find_paths_if(iterable: Any, pred: Callable[[ObjPath, Any], bool]) -> list[ObjPath]:
    """List the paths of the leaves of nested tuples for which a predicate holds."""
    paths: list[ObjPath] = []

    def visit(path: ObjPath, leaf: Any) -> None:
        if pred(path, leaf):
            paths.append(path)

    apply_with_path(iterable, visit)
    return paths
