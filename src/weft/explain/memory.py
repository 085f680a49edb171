"""How wide each access to global memory is, what it touches, and what keeps it from being wider.

A thread takes as many elements at once as all of these allow:

    widest         16 bytes
    divisibility   what is known to divide the address of the first
    contiguity     for how many elements addresses are known to run on
    mask           for how many neighbours the mask is known to be the same
    share          how many neighbours the layout gives a thread
    order          neighbours of a thread run along another dimension than memory does

Addresses are known as far as `weft.analysis.axis_info` knows them: rows of which nothing is known
count as far apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.axis_info import AxisInfo, ModuleAxisInfo, axis_info
from weft.explain.model import Access
from weft.explain.places import Places
from weft.ir import amdg, tt, ttg, types
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.layouts.coalescing import coalescing
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order

__all__ = ["Addresses", "Width", "accesses", "addresses_of", "width"]

_WIDEST_BITS = 128
_ASKED = ("divisibility", "contiguity", "share", "mask")  # of several limits the first is named
_FAR = 1 << 20  # elements from one row to the next where nothing is known


@dataclass(frozen=True, slots=True)
class Addresses:
    """What an access goes by: a tensor of pointers or of offsets, and what is known of it.

    info: of the pointers or offsets.  mask: of the mask.  base: by how many elements the pointer
    that offsets go from is known to be aligned; None with pointers.
    """

    pointers: SSAValue
    info: AxisInfo
    mask: AxisInfo | None
    shape: tuple[int, ...]
    bits: int
    base: int | None = None

    @property
    def fast(self) -> int:
        """Return the dimension along which addresses run on for longest, the last of equals."""
        return max(range(len(self.shape)), key=lambda dim: (self.info.contiguity[dim], dim))

    def aligned(self, dim: int) -> int:
        """Return by how many elements the first address of a run is known to be aligned."""
        divisor = self.info.divisibility[dim]
        if self.base is None:
            return max(1, divisor // (self.bits // 8))
        return min(divisor, self.base)


@dataclass(frozen=True, slots=True)
class Width:
    """How wide an access is in a layout, and why; fields as of Access."""

    elements: int
    limit: str
    limited_by: str


def addresses_of(op: Operation, facts: ModuleAxisInfo) -> Addresses | None:
    """Return what an operation's addresses are; None where it does not access a tensor by them."""
    found = _operands(op)
    if found is None:
        return None
    pointers, mask, element = found
    info = facts.get(pointers)
    if info is None or not types.is_tensor(pointers.type):
        return None
    masked = facts.get(mask) if mask is not None else None
    bits = max(8, types.bit_width(element))
    base = _base(op, facts, bits // 8)
    return Addresses(pointers, info, masked, types.shape(pointers.type), bits, base)


def _base(op: Operation, facts: ModuleAxisInfo, size_bytes: int) -> int | None:
    """Return the alignment, in elements, of the pointer that a buffer instruction starts from."""
    if not op.name.startswith("amdg.buffer_"):
        return None
    info = facts.get(op.ptr)  # pyright: ignore[reportAttributeAccessIssue]
    return 1 if info is None else max(1, info.divisibility[0] // size_bytes)


def _operands(op: Operation) -> tuple[SSAValue, SSAValue | None, Attribute] | None:
    """Return pointers (or offsets), mask, and the element in memory."""
    if isinstance(op, tt.LoadOp | tt.StoreOp | tt.AtomicRMWOp | ttg.AsyncCopyGlobalToLocalOp):
        pointers = op.operands[0]
        return pointers, op.mask, _pointee(pointers)
    if isinstance(op, tt.AtomicCASOp):
        return op.operands[0], None, _pointee(op.operands[0])
    if isinstance(op, amdg.BufferAtomicCASOp):
        return op.offsets, None, _pointee(op.ptr)
    if isinstance(
        op,
        amdg.BufferLoadOp | amdg.BufferStoreOp | amdg.BufferLoadToLocalOp | amdg.BufferAtomicRMWOp,
    ):
        return op.offsets, op.mask, _pointee(op.ptr)
    return None


def _pointee(pointers: SSAValue) -> Attribute:
    scalar = types.element(pointers.type)
    return scalar.pointee if types.is_pointer(scalar) else scalar


def width(addresses: Addresses, encoding: Encoding) -> Width:
    """Return how many elements a thread takes at once in a layout, and what limits them."""
    layout = encoding.linear(addresses.shape)
    dim = dimension_order(layout)[0]
    held = contiguous_per_thread(layout)[dim]
    run = addresses.info.contiguity[dim]
    aligned = addresses.aligned(dim)
    masked = addresses.mask.constancy[dim] if addresses.mask is not None else held
    widest = max(1, _WIDEST_BITS // addresses.bits)
    taken = min(held, run, aligned, masked, widest)
    if taken == widest:
        return Width(taken, "widest", "nothing, as there is no wider instruction")
    best = addresses.fast
    if best != dim and addresses.info.contiguity[best] > run:
        return Width(
            taken,
            "order",
            f"a thread's neighbours run along dimension {dim}, memory along dimension {best}",
        )
    limits = {
        "contiguity": (run, f"addresses are known to run on for {run} elements only"),
        "divisibility": (
            aligned,
            f"addresses are known to be multiples of {aligned * addresses.bits // 8} bytes only",
        ),
        "share": (held, f"the layout, which gives a thread {held} of them"),
        "mask": (masked, f"the mask is known to be the same for {masked} neighbours only"),
    }
    name = next(name for name in _ASKED if limits[name][0] == taken)
    return Width(taken, name, limits[name][1])


def touched(addresses: Addresses, encoding: Encoding, elements: int) -> tuple[int, int, int]:
    """Return requests, sectors and ideal sectors of an access in a layout."""
    report = coalescing(
        encoding.linear(addresses.shape),
        addresses.shape,
        addresses.bits,
        strides=_strides(addresses),
        most_bits=elements * addresses.bits,
    )
    return report.requests, report.sectors, report.ideal_sectors


def _strides(addresses: Addresses) -> tuple[int, ...]:
    """Return the steps of the addresses in elements, far apart where nothing is known."""
    info, shape = addresses.info, addresses.shape
    fast = addresses.fast
    steps = [_FAR * math.prod(shape[:dim]) for dim in range(len(shape))]
    for dim, size in enumerate(shape):
        if size > 1 and info.constancy[dim] >= size:
            steps[dim] = 0
    if info.contiguity[fast] > 1:
        steps[fast] = 1
    return tuple(steps)


def accesses(module: ModuleOp, places: Places) -> Iterator[Access]:
    """Yield every access to global memory through a tensor of addresses."""
    facts = axis_info(module)
    for op in walk(module):
        addresses = addresses_of(op, facts)
        encoding = None if addresses is None else types.encoding(addresses.pointers.type)
        if addresses is None or encoding is None:
            continue
        found = width(addresses, encoding)
        requests, sectors, ideal = touched(addresses, encoding, found.elements)
        value = op.results[0] if op.results else addresses.pointers
        yield Access(
            op=op.name,
            value=places.value(value),
            location=places.line(op),
            type=places.type(_moved_type(op, addresses)),
            layout=places.layout(addresses.pointers.type),
            loop_depth=places.depth(op),
            vector_bits=found.elements * addresses.bits,
            limit=found.limit,
            limited_by=found.limited_by,
            requests=requests,
            sectors=sectors,
            ideal_sectors=ideal,
        )


def _moved_type(op: Operation, addresses: Addresses) -> Attribute:
    """Return the type of the tensor that goes to or from memory."""
    found = _operands(op)
    type_ = addresses.pointers.type
    return type_ if found is None else types.with_element(type_, found[2])
