"""Plan transposing loads of packed fp4: packed along rows in LDS, along k in registers.

    memory     offset bit 0 → row 1     the others → as the bytes', rows doubled
    result     register bit 0 → k 1     the others → as the bytes', k doubled

Both are treated as tensors of 4-bit elements, whose lowest offset or register bit selects a half of
a byte.
"""

from __future__ import annotations

from weft.errors import CodegenError, LayoutError
from weft.ir import amdg, types
from weft.layouts import LinearLayout
from weft.layouts.plans.local_access import local_access
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.memdesc import memdesc_of, memory_layout
from weft.lowering_plans.registers import layout_of
from weft.targets import Target

__all__ = ["PACKED_BITS", "plan_packed_load"]

PACKED_BITS = 4
"""The bits of an element."""


def plan_packed_load(op: amdg.LocalLoadPackedTransposedOp, target: Target) -> SharedAccess:
    """Plan the load in elements of 4 bits.

    Args:
        op: The load.
        target: The chip.

    Raises:
        CodegenError: The chip has no instruction for it.
    """
    view, result = memdesc_of(op.src), op.result.type
    packed = 0 if view.shape[0] < types.shape(result)[0] else 1
    try:
        return local_access(
            _halved(layout_of(result), "register", 1 - packed),
            _halved(memory_layout(view), "offset", packed),
            PACKED_BITS,
            target.shared_memory,
            "read",
        )
    except LayoutError as error:
        raise CodegenError(
            f"{target} has no transposing load of packed fp4 for this buffer", found=view
        ) from error


def _halved(layout: LinearLayout, of: str, dim: int) -> LinearLayout:
    """Convert a layout of bytes to a layout of 4-bit elements.

    Args:
        layout: The layout.
        of: In-dimension whose lowest new bit selects the half of a byte.
        dim: Dimension along which elements are packed.
    """
    names = list(layout.out_dims)
    bases = {
        name: [[part << (n == dim) for n, part in enumerate(image)] for image in images]
        for name, images in layout.bases.items()
    }
    bases[of] = [[int(n == dim) for n in range(len(names))], *bases[of]]
    sizes = {name: size << (n == dim) for n, (name, size) in enumerate(layout.out_dims.items())}
    return LinearLayout.from_bases(bases, sizes)
