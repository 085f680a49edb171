"""What machine code must know to make a launch again: a plan, read off a launch made in full.

    add[grid](x, 100, BLOCK=128)   →   3 positional arguments, the grid one of them, and BLOCK
                                       x: a tensor of float32 on 16 bytes     argument 0
                                       n: a number of 32 bits, none of 16     argument 1
                                       BLOCK: 128

Machine code looks at tensors of torch's, numbers, flags, and tuples of these itself. For any other
argument, a descriptor, an array of another library, a bf16, it asks a function of the plan for the
bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.language.function import KernelFunction
from weft.runtime.arguments import Written, fitting, leaves_written, packed
from weft.runtime.asked import WORD, layout_of, reader
from weft.runtime.devices import opened
from weft.runtime.drivers.native import (
    ASKED,
    CONSTANT,
    DOUBLE,
    FLAG,
    INTEGER,
    SINGLE,
    TENSOR,
    TUPLE,
    Plan,
    Value,
)
from weft.runtime.fingerprint import Captured
from weft.runtime.signature import Path

if TYPE_CHECKING:
    from weft.runtime.gpu import GpuProgram

__all__ = ["plan_of"]

_INT32, _INT64 = 1 << 31, 1 << 63
_FLOATS = {"f": SINGLE, "d": DOUBLE}
_INTEGERS = "bhiqBHIQ"


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
    outside = captured.places()
    if outside is None or program.artifact.facts.scratch:
        return None
    names, given = kernel.parameter_names, dict(zip(kernel.parameter_names, args, strict=False))
    given |= kwargs
    facts = program.artifact.facts
    leaves = leaves_written(program.signature, facts.formats, facts.maps)
    slots, words = _slots([leaf for _, leaf in leaves])
    read = _Reading(
        {path: (leaf, slot) for (path, leaf), slot in zip(leaves, slots, strict=True)},
        {each.index: each for each in program.parameters},
        program.device,
        tensors,
    )
    values: list[Value] = []
    for name, value in given.items():
        index = names.index(name) if name in names else -1
        if index < 0 or kernel.parameters[index].is_constexpr:
            values.append(_constant(name, value))
            continue
        found = read.parameter(name, value, index)
        if found is None:
            return None
        values.append(found)
    every = {each.name: given.get(each.name, each.default) for each in kernel.parameters}
    formats = [one for each in program.parameters for one in each.formats]
    arguments = fitting(formats, packed(program.parameters, list(opened(every).values())))
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
        {**every, **dict.fromkeys(given)},  # what was given is set anew, and not kept here
        tuple(words),
        layout_of(formats).pack(*arguments),
    )


def _slots(leaves: Sequence[Written]) -> tuple[list[int], list[int]]:
    """Return the first word of what each leaf is written to, and that of every argument."""
    slots: list[int] = []
    words: list[int] = []
    end = 0
    for each in leaves:
        slots.append(end)
        for format_ in each.formats:
            words.append(end)
            end += -(-struct.calcsize(format_) // WORD)
    return slots, words


def _constant(name: str, value: Any) -> Value:
    """Return what must be given in the place of a constant."""
    if type(value) is int and -_INT64 <= value < _INT64:
        return Value(name, CONSTANT, what=value, flag=1, low=value, high=value)
    return Value(name, CONSTANT, what=value)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a plan says of the arguments of one program.

    leaves: by path, how what is left at run time is written, and its first word.
    parameters: the same by parameter, tuples as one.  device: the GPU.  tensors: torch's classes.
    """

    leaves: Mapping[Path, tuple[Written, int]]
    parameters: Mapping[int, Written]
    device: int
    tensors: tuple[type, ...]

    def parameter(self, name: str, value: Any, index: int) -> Value | None:
        """Return what must be given in the place of an argument; None where it has no form."""
        found = self._seen(name, value, (index,))
        if found is not None or (index,) in self.leaves or index not in self.parameters:
            return found
        slot = min(slot for path, (_, slot) in self.leaves.items() if path[0] == index)
        return self._asked(name, value, self.parameters[index], slot)

    def _seen(self, name: str, value: Any, path: Path) -> Value | None:
        """Return what machine code looks at itself, or asks for; None for a named tuple."""
        if type(value) is tuple:
            items = [self._seen("", item, (*path, at)) for at, item in enumerate(value)]
            if any(each is None for each in items):
                return None
            return Value(name, TUPLE, what=tuple(items), low=len(items))
        if path not in self.leaves:
            return None if isinstance(value, tuple) else _constant(name, value)
        leaf, slot = self.leaves[path]
        return self._looked_at(name, value, leaf, slot) or self._asked(name, value, leaf, slot)

    def _looked_at(self, name: str, value: Any, leaf: Written, slot: int) -> Value | None:
        kind, format_ = type(value), leaf.formats[0] if leaf.as_given else ""
        if kind in self.tensors and format_ == "P":
            return Value(name, TENSOR, slot, value.dtype, int(value.data_ptr() % 16 == 0))
        if kind is int and format_ and format_ in _INTEGERS:
            return _number(name, value, slot, format_)
        if kind is bool and format_ == "?":
            return Value(name, FLAG, slot)
        if kind is float and format_ in _FLOATS:
            return Value(name, _FLOATS[format_], slot)
        return None

    def _asked(self, name: str, value: Any, written: Written, slot: int) -> Value | None:
        read = reader(value, written, self.device, self.tensors)
        size = layout_of(written.formats).size
        return read and Value(name, ASKED, slot, read, low=size)


def _number(name: str, value: int, slot: int, format_: str) -> Value | None:
    """Return the kind of a number: as wide, as divisible by 16, and such that it can be written."""
    bits = 8 * struct.calcsize(format_)
    least, most = (0, (1 << bits) - 1) if format_.isupper() else (-_half(bits), _half(bits) - 1)
    if value == 1:
        return Value(name, INTEGER, slot, flag=2, low=1, high=1)
    flag = int(value % 16 == 0)
    for low, high in ((-_INT32, _INT32 - 1), (_INT32, _INT64 - 1), (-_INT64, -_INT32 - 1)):
        if low <= value <= high:
            low, high = max(low, least), min(high, most)
            return Value(name, INTEGER, slot, flag=flag, low=low, high=high)
    return None


def _half(bits: int) -> int:
    return 1 << (bits - 1)
