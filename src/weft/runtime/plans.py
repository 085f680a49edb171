"""What machine code must know to make a launch again: a plan, read off a launch made in full.

    add[grid](x, 100, BLOCK=128)   →   3 positional arguments, the grid one of them, and BLOCK
                                       x: a tensor of float32 on 16 bytes     argument 0
                                       n: a number of 32 bits, none of 16     argument 1
                                       BLOCK: 128

A launch that has anything else in it, a tuple or an array of another library, has no plan, and is
made by Python each time.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.language.function import KernelFunction
from weft.runtime.arguments import packed
from weft.runtime.drivers.native import CONSTANT, DOUBLE, FLAG, INTEGER, SINGLE, TENSOR, Plan, Value
from weft.runtime.fingerprint import Captured

if TYPE_CHECKING:
    from weft.runtime.gpu import GpuProgram

__all__ = ["plan_of"]

_INT32, _INT64 = 1 << 31, 1 << 63
_FLOATS = {"f": SINGLE, "d": DOUBLE}


def plan_of(
    kernel: KernelFunction,
    captured: Captured,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    program: GpuProgram,
    tensors: tuple[type, ...],
) -> Plan | None:
    """Return the plan of launches like one that was made, None if there is none.

    Args: tensors: torch's classes of tensors.
    """
    facts, outside = program.artifact.facts, captured.places()
    if outside is None or facts.scratch or facts.maps or program.direct is None:
        return None
    slots = {path[0]: n for n, (path, _) in enumerate(program.signature.runtime_arguments())}
    values: list[Value] = []
    for name, value in [*zip(kernel.parameter_names, args, strict=False), *kwargs.items()]:
        index = kernel.parameter_names.index(name) if name in kernel.parameter_names else -1
        slot = slots.get(index, -1)
        format_ = facts.formats[slot] if slot >= 0 else ""
        found = _value(name, value, slot, format_, tensors)
        if found is None:
            return None
        values.append(found)
    given = {**dict(zip(kernel.parameter_names, args, strict=False)), **kwargs}
    every = {each.name: given.get(each.name, each.default) for each in kernel.parameters}
    written = packed(program.signature, list(every.values()), facts.maps)
    settings = program.settings
    return Plan(
        len(args) + 1,
        tuple(kwargs),
        tuple(values),
        program.device,
        int(program.function.handle),
        program,
        settings.threads,
        settings.shared_bytes,
        settings.num_ctas,
        b"".join(settings.attributes()),
        outside,
        {**dict.fromkeys(every), **every, **kwargs},
        tuple(struct.pack(each, value) for each, value in zip(facts.formats, written, strict=True)),
    )


def _value(
    name: str, value: Any, slot: int, format_: str, tensors: tuple[type, ...]
) -> Value | None:
    """Return what must be given in the place of a value."""
    kind = type(value)
    if slot < 0:
        if kind is int and -_INT64 <= value < _INT64:
            return Value(name, CONSTANT, what=value, flag=1, low=value, high=value)
        return Value(name, CONSTANT, what=value)
    if kind in tensors:
        return Value(name, TENSOR, slot, value.dtype, int(value.data_ptr() % 16 == 0))
    if kind is int:
        return _number(name, value, slot)
    if kind is bool and format_ == "?":
        return Value(name, FLAG, slot)
    if kind is float and format_ in _FLOATS:
        return Value(name, _FLOATS[format_], slot)
    return None


def _number(name: str, value: int, slot: int) -> Value | None:
    """Return the kind of a number: as wide, and as divisible by 16."""
    if value == 1:
        return Value(name, INTEGER, slot, flag=2, low=1, high=1)
    flag = int(value % 16 == 0)
    for low, high in ((-_INT32, _INT32 - 1), (_INT32, _INT64 - 1), (-_INT64, -_INT32 - 1)):
        if low <= value <= high:
            return Value(name, INTEGER, slot, flag=flag, low=low, high=high)
    return None
