"""What each operation does to the buffers of shared memory that it is given.

    ttg.local_load %b               reads what its operand `src` means
    ttg.local_store %x, %b          writes what its operand `dst` means
    ttg.memdesc_index %b[%i]        touches nothing: its result means the same buffer

Fields are named as the operations name them. A buffer that reaches an operation without a row is
an error: nobody could say where threads must wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from weft.errors import CodegenError
from weft.ir import locations
from weft.ir.ttg import MemDescType, SharedMemoryAttr

__all__ = ["SharedEffect", "is_shared", "shared_effect"]


@dataclass(frozen=True, slots=True)
class SharedEffect:
    """The fields of an operation whose buffers it reads, and those whose buffers it writes."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


_NOTHING = SharedEffect()
_PASSES_ON = (
    "arith.select",
    "cf.br",
    "cf.cond_br",
    "scf.condition",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "ttg.local_dealloc",
    "ttg.memdesc_index",
    "ttg.memdesc_reinterpret",
    "ttg.memdesc_reshape",
    "ttg.memdesc_subslice",
    "ttg.memdesc_trans",
    "ttng.warp_group_dot_wait",
)
_ROWS: dict[str, SharedEffect] = {
    **dict.fromkeys(_PASSES_ON, _NOTHING),
    "ttg.async_copy_global_to_local": SharedEffect(writes=("result",)),
    "ttg.local_alloc": SharedEffect(writes=("result",)),
    "ttg.local_gather": SharedEffect(reads=("src",)),
    "ttg.local_load": SharedEffect(reads=("src",)),
    "ttg.local_scatter": SharedEffect(writes=("dst",)),
    "ttg.local_store": SharedEffect(writes=("dst",)),
    "ttng.warp_group_dot": SharedEffect(reads=("a", "b")),
}


def is_shared(value: SSAValue) -> bool:
    """Tell whether a value means a buffer of shared memory."""
    type_ = value.type
    return isinstance(type_, MemDescType) and isinstance(type_.memory_space, SharedMemoryAttr)


def shared_effect(op: Operation) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """Return the values whose buffers an operation reads, and those whose buffers it writes.

    Raises: CodegenError: it touches shared memory, and no row says how.
    """
    row = _ROWS.get(op.name)
    if row is None:
        if any(is_shared(value) for value in (*op.operands, *op.results)):
            raise CodegenError(
                f"what {op.name} does to shared memory is not known",
                location=locations.position(op.location),
                found=op.name,
                accepted=sorted(_ROWS),
            )
        return (), ()
    if op.name == "ttg.local_alloc" and not op.operands:
        return (), ()
    return _named(op, row.reads), _named(op, row.writes)


def _named(op: Operation, fields: Sequence[str]) -> list[SSAValue]:
    """Return the buffers among the fields of an operation, each one value, several, or none."""
    found: list[SSAValue] = []
    for field in fields:
        given = getattr(op, field)
        values = [given] if isinstance(given, SSAValue) else list(given or ())
        found += [value for value in values if is_shared(value)]
    return found
