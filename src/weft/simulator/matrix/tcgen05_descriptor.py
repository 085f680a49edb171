"""Decode the instruction descriptor of tcgen05.mma: types, shape and order of the operands.

Source: PTX ISA 9.0, tcgen05.mma, instruction descriptor.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import CodegenError

__all__ = [
    "A_SCALE_BYTE",
    "B_SCALE_BYTE",
    "D_TYPE",
    "E8M0_SCALES",
    "FP4",
    "SCALED_M",
    "M",
    "MmaShape",
    "decode_shape",
    "read_field",
]

FP4 = "e2m1"
_TYPES: dict[str, dict[int, str]] = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": {0: "e4m3", 1: "e5m2", 5: FP4},
    "mxf8f6f4": {0: "e4m3", 1: "e5m2", 5: FP4},
    "mxf4": {1: FP4},
    "mxf4nvf4": {1: FP4},
}
"""Kind of MMA → number in the instruction descriptor → element type."""

# Fields of the instruction descriptor: first bit and number of bits.
D_TYPE, _A_TYPE, _B_TYPE = (4, 2), (7, 3), (10, 3)
_A_MAJOR, _B_MAJOR = (15, 1), (16, 1)
_N, M = (17, 6), (24, 5)  # in units of 8 and 16
# Fields that an instruction with block scales has instead.
B_SCALE_BYTE, E8M0_SCALES, SCALED_M, A_SCALE_BYTE = (4, 2), (23, 1), (27, 2), (29, 2)


def read_field(descriptor: int, field: tuple[int, int]) -> int:
    """Read a field of an instruction descriptor, given as its first bit and number of bits."""
    bit, count = field
    return descriptor >> bit & ((1 << count) - 1)


@dataclass(frozen=True, slots=True)
class MmaShape:
    """The shape and types of an MMA.

    Attributes:
        m: Rows of D in each block.
        n: Columns of D.
        n_per_block: Columns of B in each block.
        a_type: Element type of A.
        b_type: Element type of B.
        a_mn_major: Whether A's tile in shared memory is MN-major.
        b_mn_major: Whether B's tile is MN-major.
    """

    m: int
    n: int
    n_per_block: int
    a_type: str
    b_type: str
    a_mn_major: bool
    b_mn_major: bool


def decode_shape(descriptor: int, kind: str, m: int, blocks: int) -> MmaShape:
    """Decode an instruction descriptor.

    Args:
        descriptor: The descriptor.
        kind: Kind of MMA, "f8f6f4".
        m: Rows of D in all blocks.
        blocks: Number of blocks that take part.
    """
    n = read_field(descriptor, _N) * 8
    return MmaShape(
        m // blocks,
        n,
        n // blocks,
        _element_type(kind, read_field(descriptor, _A_TYPE)),
        _element_type(kind, read_field(descriptor, _B_TYPE)),
        bool(read_field(descriptor, _A_MAJOR)),
        bool(read_field(descriptor, _B_MAJOR)),
    )


def _element_type(kind: str, number: int) -> str:
    """Find an operand's element type.

    Raises:
        CodegenError: The kind of MMA has none of that number.
    """
    types = _TYPES.get(kind, {})
    if number not in types:
        raise CodegenError(
            f"the simulator does not support this operand type of tcgen05.mma.kind::{kind}",
            found=number,
            accepted=list(types),
        )
    return types[number]
