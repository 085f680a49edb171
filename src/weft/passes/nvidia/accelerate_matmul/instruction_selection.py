"""Select the matrix instruction of a dot, and state why others do not support it.

    tt.dot of 64x32xf16 and 32x64xf16, 4 warps, cuda:90
        wgmma.mma_async   m = 64 is a multiple of 64, n = 64 of 8, a row of A has 64 bytes: selected
        mma.sync          not considered

An instruction is rejected for the first reason; the ledger lists all reasons.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from weft.ir import tt, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.enums import InputPrecision
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import NvidiaMmaEncoding
from weft.layouts.cga import shape_per_cta
from weft.passes.ledger import Candidate
from weft.passes.nvidia.accelerate_matmul.original_width import original_width
from weft.targets.tensor_cores import MmaFamily, TensorCores

__all__ = ["Dot", "family_of", "instruction_candidates"]


class Dot(Struct, frozen=True):
    """The properties of a dot that decide the selection.

    Attributes:
        op: The dot.
        shape: The shape of the result per CTA.
        k: The columns of A.
        element: The name of the element type of A.
        bits: The bits of an element of A.
        warps: The warps that execute the dot.
    """

    op: tt.DotOp
    shape: tuple[int, ...]
    k: int
    element: str
    bits: int
    warps: int

    @classmethod
    def match(cls, op: Operation) -> Dot | None:
        """Read a dot, None if it has no layout or already that of a matrix instruction."""
        assert isinstance(op, tt.DotOp)
        result, a = op.d.type, op.a.type
        encoding = types.encoding(result)
        if encoding is None or isinstance(encoding, NvidiaMmaEncoding):
            return None
        return cls(
            op,
            shape_per_cta(encoding, types.shape(result)),
            types.shape(a)[-1],
            str(types.element(a)),
            types.bit_width(a),
            lookup_num_warps(op),
        )

    @property
    def precision(self) -> InputPrecision:
        """The precision of f32 operands."""
        return InputPrecision.of(self.op.properties["inputPrecision"])


def family_of(dot: Dot, cores: TensorCores) -> MmaFamily | None:
    """Find the first instruction family that supports a dot, None if only FMA does."""
    # The rows of a target list the fastest family first.
    for family in cores.families:
        if next(_rejections(dot, family), None) is None:
            return family
    return None


def instruction_candidates(dot: Dot, cores: TensorCores) -> tuple[Candidate, ...]:
    """List every instruction family of the target with the reasons against it."""
    candidates: list[Candidate] = []
    for family in cores.families:
        reasons = "; ".join(_rejections(dot, family))
        candidates.append(Candidate(family.instruction, reasons or "fits"))
    return tuple(candidates)


def _rejections(dot: Dot, family: MmaFamily) -> Iterator[str]:
    """Yield the reasons why an instruction family does not support a dot."""
    yield from _type_rejections(dot, family)
    rank = len(dot.shape)
    if rank not in family.ranks:
        yield f"rank {rank}, supported: {_join(family.ranks)}"
    if dot.warps not in family.warps:
        yield f"{dot.warps} warps, supported: {_join(family.warps)}"
    rows, columns = dot.shape[-2:]
    for name, size, unit in (("m", rows, family.m_unit), ("n", columns, family.n_unit)):
        if size % unit:
            yield f"{name} {size} is not a multiple of {unit}"
    if family.whole_k and dot.k * dot.bits < family.k_bytes * 8:
        yield f"k {dot.k} is less than the {family.k_bytes * 8 // dot.bits} of one instruction"


def _type_rejections(dot: Dot, family: MmaFamily) -> Iterator[str]:
    a, b, d = (types.element(value.type) for value in (dot.op.a, dot.op.b, dot.op.d))
    for type_ in dict.fromkeys((a, b)):
        if str(type_) not in family.operands:
            yield f"no operands of {type_}"
    if a == b == types.f32 and dot.precision is not InputPrecision.TF32:
        # Reading an operand that was extended to f32 as tf32 is exact; tcgen05 needs it for one.
        if family.version != 5 or min(original_width(dot.op.a), original_width(dot.op.b)) >= 32:
            yield f"f32 is read as tf32, inputPrecision is {dot.precision}"
    if d == types.f64 and "f64" not in family.operands:
        yield "no result of f64"
    if family.version == 5 and types.is_integer(d):
        yield f"no result of {d}"
    allowed = dot.op.maxNumImpreciseAcc.value.data
    if allowed < family.least_imprecise and _is_fp8(a) and d == types.f32:
        yield f"at most {allowed} fp8 products may be summed imprecisely, it sums 32"


def _is_fp8(type_: Attribute) -> bool:
    return types.is_float(type_) and types.bit_width(type_) == 8


def _join(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))
