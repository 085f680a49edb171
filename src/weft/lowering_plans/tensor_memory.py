"""Plan loads and stores of tensor memory, from the types of a tensor and of a CTA's buffer."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, SSAValue

from weft.analysis.tensor_memory import cta_shape, cta_type, is_folded
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearEncoding, LinearLayout
from weft.layouts.cga import cta_tile_layout, cta_tile_shape
from weft.layouts.plans.tensor_memory import TensorMemoryPlan, plan_tensor_memory_access
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.registers import layout_of

__all__ = ["allocation_instructions", "plan_tensor_memory", "tensor_memory_instructions"]

_WORD = 32


def plan_tensor_memory(tensor: Attribute, buffer: MemDescType) -> TensorMemoryPlan:
    """Plan the loads or stores between registers and tensor memory.

    Args:
        tensor: Type of the tensor.
        buffer: Type of a CTA's part of the view.

    Raises:
        CodegenError: The tensor has no layout, or is of other CTAs.
    """
    encoding, shape = types.encoding(tensor), types.shape(tensor)
    assert buffer.encoding is not None
    if encoding is None:
        raise CodegenError(f"{tensor} has no layout")
    layout = layout_of(tensor)
    if layout.in_size("block") > 1:
        own = cta_tile_shape(layout)
        if own != cta_shape(buffer):
            raise CodegenError(
                "each CTA of a cluster accesses its own tensor memory",
                found=f"{list(own)} of {tensor}",
                accepted=[list(cta_shape(buffer))],
            )
        if not is_folded(buffer):
            shape, encoding = own, _within_cta(layout)
    return plan_tensor_memory_access(encoding, buffer.encoding, shape, types.bit_width(tensor))


def _within_cta(layout: LinearLayout) -> LinearEncoding:
    """Get the layout of a CTA's part of a tensor as an encoding."""
    own = cta_tile_layout(layout)
    bases = {
        name: tuple(map(tuple, map(own.unpack, own.images(name))))
        for name in ("register", "lane", "warp")
    }
    return LinearEncoding(**bases, block=())


def tensor_memory_instructions(
    kind: str, tensor: Attribute, view: SSAValue, num_warps: int
) -> Iterator[Instruction]:
    """Yield the instructions of a load or store.

    Args:
        kind: "tensor memory load" or "tensor memory store".
        tensor: Type of the tensor.
        view: The view of tensor memory.
        num_warps: Warps of a CTA.
    """
    buffer = view.type
    assert isinstance(buffer, MemDescType)
    plan = plan_tensor_memory(tensor, cta_type(buffer))
    bits = _WORD * len(plan.instructions[0].words)
    name = f"{plan.shape}.x{plan.repeats}"
    yield Instruction(kind, bits, len(plan.instructions), num_warps, name=name)


def allocation_instructions(num_warps: int) -> tuple[Instruction, ...]:
    """List the instructions by which a kernel allocates and frees columns of tensor memory.

    The first warp allocates; all warps load the address between barriers, and free it after one.
    """
    address = Instruction("shared load", _WORD, 1, num_warps, num_warps, num_warps)
    return Instruction("barrier", 0, 3, num_warps, name="tensor memory"), address
