"""Which family of matrix instructions a dot gets, and why the others do not do.

    tt.dot of 64x32xf16 and 32x64xf16, 4 warps, cuda:90
        wgmma.mma_async   m 64 is a multiple of 64, n 64 of 8, a row of A has 64 bytes: taken
        mma.sync          not looked at

A family is refused for the first reason that is found; the ledger tells them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.ir import tt, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.enums import InputPrecision
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import NvidiaMmaEncoding
from weft.layouts.cga import shape_per_cta
from weft.passes.ledger import Candidate
from weft.passes.nvidia.accelerate_matmul.original_width import original_width
from weft.targets.tensor_cores import MmaFamily, TensorCores

__all__ = ["Dot", "family_of", "refusals"]


@dataclass(frozen=True, slots=True)
class Dot:
    """What the choice depends on.

    Fields: op: the dot.  shape: of the result, what one block of the cluster holds of it.
    k: columns of A.  element: name of A's element type.  bits: of one.  warps: that run it.
    """

    op: tt.DotOp
    shape: tuple[int, ...]
    k: int
    element: str
    bits: int
    warps: int

    @classmethod
    def open(cls, op: Operation) -> Dot | None:
        """Read a dot, unless it has a layout of matrix instructions already, or none."""
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
        """Return at which precision it reads f32 operands."""
        return InputPrecision.of(self.op.properties["inputPrecision"])


def family_of(dot: Dot, cores: TensorCores) -> MmaFamily | None:
    """Return the first family of the chip that does a dot, None where threads multiply alone."""
    for family in cores.families:
        if next(_reasons(dot, family), None) is None:
            return family
    return None


def refusals(dot: Dot, cores: TensorCores) -> tuple[Candidate, ...]:
    """Return every family of the chip with what speaks against it, or what it is worth."""
    told = []
    for family in cores.families:
        reasons = "; ".join(_reasons(dot, family))
        told.append(Candidate(family.instruction, reasons or "fits"))
    return tuple(told)


def _reasons(dot: Dot, family: MmaFamily) -> Iterator[str]:
    """Yield what speaks against doing a dot with a family."""
    yield from _reasons_of_types(dot, family)
    rank = len(dot.shape)
    if rank not in family.ranks:
        yield f"tensors of {rank} dimensions, it takes {_listed(family.ranks)}"
    if dot.warps not in family.warps:
        yield f"{dot.warps} warps, it takes {_listed(family.warps)}"
    rows, columns = dot.shape[-2:]
    for name, size, unit in (("m", rows, family.m_unit), ("n", columns, family.n_unit)):
        if size % unit:
            yield f"{name} {size} is no multiple of {unit}"
    if family.whole_k and dot.k * dot.bits < family.k_bytes * 8:
        yield f"k {dot.k} is less than the {family.k_bytes * 8 // dot.bits} of one instruction"


def _reasons_of_types(dot: Dot, family: MmaFamily) -> Iterator[str]:
    a, b, d = (types.element(value.type) for value in (dot.op.a, dot.op.b, dot.op.d))
    for type_ in dict.fromkeys((a, b)):
        if str(type_) not in family.operands:
            yield f"no operands of {type_}"
    if a == b == types.f32 and dot.precision is not InputPrecision.TF32:
        # tcgen05 may read as tf32 what was widened to f32: of one operand at least, that is exact.
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


def _listed(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))
