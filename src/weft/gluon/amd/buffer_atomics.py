"""The declarations of atomic buffer instructions, which differ between chips in types alone."""

from __future__ import annotations

from weft.gluon.builtin import GluonBuiltin, builtin_of

__all__ = ["buffer_atomic"]


def buffer_atomic(namespace: str, name: str) -> GluonBuiltin:
    """Declare an atomic buffer instruction.

    Args:
        namespace: The module below `gl` that declares it.
        name: The operation: "add", "and", ….
    """

    def declaration(ptr, offsets, value, mask=None, sem=None, scope=None):
        pass

    declaration.__name__ = declaration.__qualname__ = f"buffer_atomic_{name}"
    declaration.__doc__ = f"""Apply `{name}` to memory at a base pointer and a tensor of offsets.

    Args:
        ptr: The base pointer, a scalar.
        offsets: The offsets in elements, a tensor of 32-bit integers.
        value: The operand, a tensor or scalar.
        mask: Elements to leave out where it is false.
        sem: The memory semantics, "acq_rel" if not given.
        scope: The threads that the operation synchronizes with, "gpu" if not given.

    Returns:
        The values of memory before.
    """
    return builtin_of(namespace)(declaration)
