"""Plan amdg.upcast_mxfp: the scales move to the lanes that hold the elements they scale.

    128x4 scales of blocks of 32     →     each lane gets those of its part of 128x128 elements

A block is 32 neighbouring elements along k, so the layout that the scales need is that of the
result with the lowest five bits of k left out.
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.errors import CodegenError
from weft.ir import types
from weft.layouts import DotOperandEncoding, LinearLayout
from weft.layouts.plans import conversion
from weft.layouts.plans.conversion import Conversion
from weft.lowering_plans.registers import layout_of
from weft.targets import Target

__all__ = ["plan_scales"]


def plan_scales(op: Operation, target: Target) -> Conversion:
    """Plan the conversion of scales to the layout of the elements that they scale.

    Raises:
        CodegenError: The result does not have a dot operand layout.
    """
    scale, result = op.operands[1].type, op.results[0].type
    encoding = types.encoding(result)
    if not isinstance(encoding, DotOperandEncoding):
        raise CodegenError(f"the result of {op.name} must have a dot operand layout", found=result)
    shape, blocks = types.shape(result), types.shape(scale)[-1]
    k_dim = len(shape) - (1 if encoding.op_idx == 0 else 2)
    outer = len(shape) - (2 if encoding.op_idx == 0 else 1)
    size_log2 = (shape[k_dim] // blocks).bit_length() - 1
    bases = {
        name: [
            (*image[: len(shape) - 2], image[outer], image[k_dim] >> size_log2) for image in images
        ]
        for name, images in layout_of(result).bases.items()
    }
    source = layout_of(scale)
    needed = LinearLayout.from_bases(bases, dict(source.outs))
    return conversion(source, needed, 8, target.shared_memory)
