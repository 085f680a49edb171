"""Extend dot operands of types that the selected instruction does not support.

mma.sync of f8E5M2 on cuda:80    both operands → f16: sm_80 has no fp8 instruction
FMA, f16 x f16 → f32             both operands → f32: FMA needs equal types
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import arith, locations, tt, types
from weft.ir.builtin import Attribute, ModuleOp, SSAValue
from weft.ir.rewriting import Builder, walk
from weft.layouts import NvidiaMmaEncoding
from weft.passes.nvidia.accelerate_matmul.decision_records import DecisionRecorder
from weft.targets.tensor_cores import TensorCores

__all__ = ["promote_operands"]


def promote_operands(module: ModuleOp, cores: TensorCores, recorder: DecisionRecorder) -> None:
    """Extend operands of the dots of a module in place.

    Raises:
        PassError: The target cannot compute a dot of integers.
    """
    for op in walk(module):
        if not isinstance(op, tt.DotOp):
            continue
        element = _required_element(op, cores)
        if element is None:
            continue
        builder = Builder().before(op)
        for index in (0, 1):
            value = _extend(builder, op.operands[index], element, op)
            reason = f"the operand is extended to {element}, the type of the instruction"
            recorder.record_layout(value, reason, op)
            op.operands[index] = value


def _required_element(op: tt.DotOp, cores: TensorCores) -> Attribute | None:
    """Find the element type that the operands need, None if they have it."""
    a, d = types.element(op.a.type), types.element(op.d.type)
    encoding = types.encoding(op.d.type)
    if not isinstance(encoding, NvidiaMmaEncoding):
        return None if a == d else d
    if encoding.version_major == 2 and str(a) in cores.version(2).widened:
        return types.f16
    return None


def _extend(builder: Builder, value: SSAValue, element: Attribute, op: tt.DotOp) -> SSAValue:
    old_element = types.element(value.type)
    type_ = types.with_element(value.type, element)
    if not (types.is_float(old_element) and types.is_float(element)):
        raise PassError(
            f"no instruction multiplies {old_element} with a result of {element}",
            location=locations.position(op.location),
            found=f"{op.a.type} * {op.b.type} -> {op.d.type}",
            hint="cast the operands in the kernel, or use block sizes that a matrix instruction "
            "supports",
        )
    cls = tt.FpToFpOp if types.bit_width(old_element) == 8 else arith.ExtFOp
    return builder.value(cls, [value], type_)
