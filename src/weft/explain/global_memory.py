"""List the accesses to global memory, with their widths and the sectors that they touch."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from weft.analysis.access_width import compute_width, count_sectors, find_addresses
from weft.analysis.axis_info import axis_info
from weft.explain.labels import Labels, loop_depth, shape_text
from weft.explain.model import Access
from weft.ir import types
from weft.ir.rewriting import walk

__all__ = ["find_accesses"]


def find_accesses(module: ModuleOp, labels: Labels) -> Iterator[Access]:
    """Yield every access to global memory through a tensor of addresses."""
    facts = axis_info(module)
    for op in walk(module):
        addresses = find_addresses(op, facts)
        encoding = None if addresses is None else types.encoding(addresses.pointers.type)
        if addresses is None or encoding is None:
            continue
        width = compute_width(addresses, encoding)
        sectors = count_sectors(addresses, encoding, width.elements)
        tensor_type = types.with_element(addresses.pointers.type, addresses.element)
        yield Access(
            op=op.name,
            value=labels.value(op.results[0] if op.results else addresses.pointers),
            location=labels.line(op),
            type=shape_text(tensor_type),
            layout=labels.layout(addresses.pointers.type),
            loop_depth=loop_depth(op),
            vector_bits=width.elements * addresses.bits,
            limit=width.limit,
            limited_by=width.limited_by,
            requests=sectors.requests,
            sectors=sectors.sectors,
            ideal_sectors=sectors.ideal_sectors,
        )
