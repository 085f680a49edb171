"""Widen operands that the chosen instruction does not read.

mma.sync of f8E5M2 on cuda:80    both operands → f16: the machine multiplies no fp8
threads, i8 x i8 → i32           both operands → i32: a thread multiplies in one type
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import arith, locations, tt, types
from weft.ir.builtin import Attribute, ModuleOp, SSAValue
from weft.ir.rewriting import Builder, walk
from weft.layouts import NvidiaMmaEncoding
from weft.passes.nvidia.accelerate_matmul.notes import Notes
from weft.targets.tensor_cores import TensorCores

__all__ = ["promote_operands"]


def promote_operands(module: ModuleOp, cores: TensorCores, notes: Notes) -> None:
    """Widen operands of the dots of a module in place."""
    for op in walk(module):
        if not isinstance(op, tt.DotOp):
            continue
        wanted = _wanted(op, cores)
        if wanted is None:
            continue
        builder = Builder().before(op)
        for index in (0, 1):
            value = _widened(builder, op.operands[index], wanted, op)
            notes.follows(value, f"operand widened to {wanted}, which the dot multiplies in", op)
            op.operands[index] = value


def _wanted(op: tt.DotOp, cores: TensorCores) -> Attribute | None:
    """Return the type that operands must have, None where theirs will do."""
    a, d = types.element(op.a.type), types.element(op.d.type)
    encoding = types.encoding(op.d.type)
    if not isinstance(encoding, NvidiaMmaEncoding):
        return None if a == d else d
    if encoding.version_major == 2 and str(a) in cores.version(2).widened:
        return types.f16
    return None


def _widened(builder: Builder, value: SSAValue, wanted: Attribute, op: tt.DotOp) -> SSAValue:
    element = types.element(value.type)
    type_ = types.with_element(value.type, wanted)
    if not (types.is_float(element) and types.is_float(wanted)):
        raise PassError(
            f"threads cannot multiply {element} into {wanted}",
            location=locations.position(op.location),
            found=f"{op.a.type} * {op.b.type} -> {op.d.type}",
            hint="convert the operands in the kernel, or choose sides that a matrix instruction "
            "takes",
        )
    cls = tt.FpToFpOp if types.bit_width(element) == 8 else arith.ExtFOp
    return builder.value(cls, [value], type_)
