"""What operations do to tensor memory, and which of them must not meet without a barrier.

    ttng.tmem_store %x, %a          threads write
    ── barrier ──                   a product reads what all of them wrote, or writes over it
    ttng.tc_gen5_mma %a, %b, %d     the tensor cores read and write
    ttng.wait_barrier               every thread waits for itself
    %y = ttng.tmem_load %d          threads read
    ── barrier ──                   a product writes what some may still read
    ttng.tc_gen5_mma %a, %b, %d

Threads reach the rows of their own warp only, and a warp's accesses are done in order: they meet
those of other warps where there are more than four and the layouts differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.shared_effects import PASSES_ON, row_of
from weft.analysis.tensor_memory import TensorMemory, TensorPlace, in_tensor_memory
from weft.ir import types
from weft.layouts import Encoding

__all__ = ["TensorTouch", "tensor_touches"]

_WARPS = 4  # that reach all rows
_PASSES_ON = (*PASSES_ON, "ttng.tmem_subslice", "ttng.wait_barrier")
# operation → (fields that are read, fields that are written, the tensor that threads hold)
_ROWS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    **dict.fromkeys(_PASSES_ON, ((), (), "")),
    "ttng.tc_gen5_commit": ((), (), ""),
    "ttng.tc_gen5_mma": (("a", "d"), ("d",), ""),
    "ttng.tc_gen5_mma_scaled": (("a", "d", "a_scale", "b_scale"), ("d",), ""),
    "ttng.tmem_alloc": ((), ("result",), "src"),
    "ttng.tmem_copy": ((), ("dst",), ""),
    "ttng.tmem_load": (("src",), (), "result"),
    "ttng.tmem_store": ((), ("dst",), "src"),
}


@dataclass(frozen=True, slots=True)
class TensorTouch:
    """Words that an operation touches.

    layout: of the tensor that threads move, None where the tensor cores do it.
    shared: whether several warps reach the same rows.
    """

    place: TensorPlace
    writes: bool
    layout: Encoding | None = None
    shared: bool = False

    @property
    def by_threads(self) -> bool:
        """Whether it is threads that touch them."""
        return self.layout is not None

    def collides(self, before: TensorTouch) -> bool:
        """Tell whether a barrier must stand between this and what threads touched before."""
        if not self.place.meets(before.place) or not (self.writes or before.writes):
            return False
        if self.layout is None:
            return True
        return (self.shared or before.shared) and self.layout != before.layout


def tensor_touches(op: Operation, memory: TensorMemory) -> Sequence[TensorTouch]:
    """Return what an operation touches in tensor memory.

    Raises: CodegenError: it is given a buffer, and no row says what it does to it.
    """
    row = row_of(op, _ROWS, in_tensor_memory, "tensor memory")
    if row is None:
        return ()
    reads, writes, moved = row
    tensor: SSAValue | None = getattr(op, moved) if moved else None
    if moved and tensor is None:
        return ()  # an allocation without a value
    layout, shared = (None, False) if tensor is None else _held(tensor.type)
    found = [(name, False) for name in reads] + [(name, True) for name in writes]
    return [
        TensorTouch(place, is_write, layout, shared)
        for name, is_write in found
        for place in memory.of([getattr(op, name)])
    ]


def _held(type_: Attribute) -> tuple[Encoding | None, bool]:
    """Return a tensor's layout, and whether more warps hold it than reach all rows."""
    layout = types.encoding(type_)
    if layout is None:
        return None, False
    return layout, layout.linear(types.shape(type_)).in_size("warp") > _WARPS
