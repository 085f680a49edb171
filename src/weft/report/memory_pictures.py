"""Collect the first instruction of each access to memory, for pictures of sectors and banks."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from weft.analysis.access_width import address_strides, compute_width, find_addresses
from weft.analysis.axis_info import axis_info
from weft.errors import LayoutError
from weft.explain.shared_memory import access_operands
from weft.ir import types
from weft.ir.rewriting import walk
from weft.layouts.bank_conflicts import tile_accesses
from weft.layouts.shared_memory import SharedMemory
from weft.report.layout_pictures import LayoutPictures
from weft.report.model import BankMap, GlobalAccess

__all__ = ["bank_maps", "global_accesses"]


def global_accesses(module: ModuleOp, layouts: LayoutPictures) -> Iterator[GlobalAccess | None]:
    """Yield a picture for each entry of `find_accesses`, None for a layout that is not drawn."""
    facts = axis_info(module)
    for op in walk(module):
        addresses = find_addresses(op, facts)
        encoding = None if addresses is None else types.encoding(addresses.pointers.type)
        if addresses is None or encoding is None:
            continue
        layout = layouts.number(encoding, addresses.shape)
        if layout is None:
            yield None
            continue
        width = compute_width(addresses, encoding)
        yield GlobalAccess(
            layout=layout,
            strides=address_strides(addresses),
            vector_bits=width.elements * addresses.bits,
            element_bits=addresses.bits,
        )


def bank_maps(module: ModuleOp, memory: SharedMemory | None) -> Iterator[BankMap | None]:
    """Yield a picture for each entry of `find_shared_accesses`."""
    if memory is None:
        return
    for op in walk(module):
        operands = access_operands(op)
        if operands is None:
            continue
        tensor, buffer, kind = operands
        registers, shared = types.encoding(tensor.type), getattr(buffer.type, "encoding", None)
        shared = getattr(shared, "data", shared)
        if registers is None or shared is None:
            continue
        shape = types.shape(tensor.type)
        element_bits = types.bit_width(types.element(tensor.type))
        try:
            addresses, bits = tile_accesses(
                registers.linear(shape), shared, shape, element_bits, memory
            )
            phase = memory.phase(bits, kind)
        except LayoutError:
            continue  # find_shared_accesses leaves it out, too
        yield BankMap(
            banks=phase.banks,
            bank_bytes=memory.bank_bytes,
            bits=bits,
            addresses=tuple(addresses[0]),
            phases=memory.phases(bits, kind),
        )
