"""Count the instructions and sectors of an access to global memory.

    tensor<1024x!tt.ptr<f16>> of 4 warps, 8 registers each     1 access of 128 bits, 64 sectors

Which registers form a vector is planned by `global_access`; what the vectors touch by `sectors`.
"""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import types
from weft.lowering_plans.address_info import address_info
from weft.lowering_plans.global_access import vector_starts
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.registers import layout_of
from weft.lowering_plans.sectors import (
    SectorTraffic,
    address_strides,
    count_sectors,
    knows_sectors,
)

__all__ = ["global_access"]


def global_access(
    kind: str,
    pointers: SSAValue,
    data: Attribute,
    count: int,
    facts: ModuleAxisInfo,
    num_warps: int,
    *,
    owners: bool,
) -> Instruction:
    """Count the instructions and sectors of an access to global memory.

    Args:
        kind: "global load", "global store" or "async copy".
        pointers: The pointers or offsets.
        data: The element type in memory.
        count: Registers of one access.
        facts: The axis information of the module.
        num_warps: Warps of a CTA.
        owners: Whether of threads with the same elements only the first takes part.
    """
    type_, bits = pointers.type, 8 * types.storage_bytes(data)
    starts = list(vector_starts(type_, count))
    info = address_info(pointers, facts)
    if not types.is_tensor(type_):
        warps = 1 if owners else num_warps
        return Instruction(
            kind, bits, 1, warps, sectors=warps, ideal_sectors=warps, distinct_sectors=1
        )
    traffic, certain = SectorTraffic(), False
    warps = num_warps
    if owners:
        warps >>= layout_of(type_).free_variable_masks().get("warp", 0).bit_count()
    if info is not None:
        shape = types.shape(type_)
        strides = address_strides(info, shape)
        traffic = count_sectors(type_, starts, count, strides, bits, owners=owners)
        certain = knows_sectors(info, shape, bits)
    return Instruction(
        kind,
        count * bits,
        len(starts),
        warps,
        sectors=traffic.sectors,
        ideal_sectors=traffic.ideal,
        distinct_sectors=traffic.distinct,
        certain=certain,
    )
