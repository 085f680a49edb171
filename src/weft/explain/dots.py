"""Products of matrices: which instruction, its tile, how many per warp, why not a better one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.decisions import Decision
from weft.explain.model import Change, Dot
from weft.explain.places import Places
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, Encoding, NvidiaMmaEncoding
from weft.passes.ledger import source_position

__all__ = ["dots"]

_DOTS = (
    "tt.dot",
    "tt.dot_scaled",
    "ttng.warp_group_dot",
    "ttng.tc_gen5_mma",
    "ttng.tc_gen5_mma_scaled",
)
_CHOOSERS = ("tritongpu-accelerate-matmul", "tritonamdgpu-accelerate-matmul")
_TENSOR_MEMORY_TILE_K_BITS = 256

# What the line of a dot says itself.
_IN_THE_HEAD = ("instruction", "tile", "shape", "instructions per warp")


def dots(
    module: ModuleOp,
    places: Places,
    warps: int,
    history: dict[SSAValue, tuple[Change, ...]],
    decisions: Sequence[Decision],
) -> Iterator[Dot]:
    """Yield every product of a module."""
    by_place = {
        decision.location: decision
        for decision in decisions
        if decision.stage in _CHOOSERS and (decision.candidates or decision.facts)
    }
    for op in walk(module):
        if op.name in _DOTS:
            yield _dot(op, places, warps, history, by_place)


def _dot(
    op: Operation,
    places: Places,
    warps: int,
    history: dict[SSAValue, tuple[Change, ...]],
    by_place: dict[str, Decision],
) -> Dot:
    a = op.operands[0]
    result = op.results[0] if op.results and types.is_tensor(op.results[0].type) else None
    shape = _result_shape(op, result)
    k = _depth(op, a)
    name, tile, per = _instruction(op, result, a, warps, len(shape))
    decision = _decision(result, history, by_place, op)
    facts = {} if decision is None else dict(decision.facts)
    return Dot(
        op=op.name,
        value=places.value(result) if result is not None else "",
        location=places.line(op),
        type=f"{'x'.join(map(str, (*shape, k)))}x{_element(a)}",
        loop_depth=places.depth(op),
        instruction=facts.get("instruction", name),
        tile=tile,
        per_warp=_per_warp((*shape, k), tile, per),
        warps=per,
        why=decision.reason if decision else "not recorded; read off the layout of the result",
        rejected=tuple(
            dict.fromkeys(
                (one.choice, one.score)
                for one in (decision.candidates if decision else ())
                if one.choice != facts.get("instruction", name)
            )
        ),
        facts=tuple(
            fact for fact in (decision.facts if decision else ()) if fact[0] not in _IN_THE_HEAD
        ),
    )


def _decision(
    result: SSAValue | None,
    history: dict[SSAValue, tuple[Change, ...]],
    by_place: dict[str, Decision],
    op: Operation,
) -> Decision | None:
    """Return the decision about a dot: of its value, else of its place in the kernel."""
    for change in reversed(history.get(result, ()) if result is not None else ()):
        decision = change.decision
        if decision is not None and decision.stage in _CHOOSERS and decision.candidates:
            return decision
    place = source_position(op.results[0]) if op.results else ""
    return by_place.get(place) if place else None


def _result_shape(op: Operation, result: SSAValue | None) -> tuple[int, ...]:
    holder = result if result is not None else op.operands[2]
    return _shape(holder)


def _shape(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a tensor, or of a buffer."""
    type_ = value.type
    return type_.shape if isinstance(type_, ttg.MemDescType) else types.shape(type_)


def _element(value: SSAValue) -> Attribute:
    """Return the element of a tensor, or of a buffer."""
    type_ = value.type
    return type_.element_type if isinstance(type_, ttg.MemDescType) else types.element(type_)


def _depth(op: Operation, a: SSAValue) -> int:
    """Return k in elements: a byte of 4-bit floats holds two."""
    size = _shape(a)[-1]
    format_ = str(op.properties.get("a_elem_type", ""))
    return size * 2 if op.name.endswith("scaled") and format_.startswith("4") else size


def _instruction(
    op: Operation, result: SSAValue | None, a: SSAValue, warps: int, rank: int
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Return an instruction's name, its m, n, k, and how warps share the result."""
    bits = types.bit_width(_element(a))
    if op.name.startswith("ttng.tc_gen5"):
        k = _TENSOR_MEMORY_TILE_K_BITS // bits
        m, n = (*_result_shape(op, result)[-2:],)
        return "tcgen05.mma", (min(m, 128), n, k), (1,) * rank
    encoding = types.encoding(result.type) if result is not None else None
    return _of_encoding(encoding, bits, warps, rank)


def _of_encoding(
    encoding: Encoding | None, bits: int, warps: int, rank: int
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    if isinstance(encoding, NvidiaMmaEncoding):
        m, n, *deep = encoding.instr_shape[-3:] if encoding.version_major > 2 else (16, 8)
        k = deep[0] if deep else 256 // bits
        if encoding.version_major > 2:
            return f"wgmma m{4 * m}n{n}k{k}", (m, n, k), encoding.warps_per_cta
        return f"mma m{m}n{n}k{k}", (m, n, k), encoding.warps_per_cta
    if isinstance(encoding, AmdMfmaEncoding):
        m, n, k = encoding.instr_shape[-3:]
        return f"mfma {m}x{n}x{k}", (m, n, k), encoding.warps_per_cta
    if isinstance(encoding, AmdWmmaEncoding):
        m, n, k = encoding.instr_shape[-3:]
        return f"wmma {m}x{n}x{k}", (m, n, k), _wmma_warps(encoding, rank)
    return "fma", (1, 1, 1), (warps, *(1,) * (rank - 1))


def _wmma_warps(encoding: AmdWmmaEncoding, rank: int) -> tuple[int, ...]:
    """Return how many warps stand along each dimension."""
    counts = [1] * rank
    for vector in encoding.warp:
        for dim, step in enumerate(vector):
            if step:
                counts[dim] *= 2
    return tuple(counts)


def _per_warp(shape: tuple[int, ...], tile: tuple[int, ...], warps: tuple[int, ...]) -> int:
    """Return how many instructions a warp executes for a product."""
    if tile == (1, 1, 1):
        total = 1
        for size in shape:
            total *= size
        count = 1
        for warp in warps:
            count *= warp
        return max(1, total // count)
    *batch, m, n, k = shape
    count = max(1, k // tile[2])
    for size, side, along in zip((m, n), tile[:2], warps[-2:], strict=True):
        count *= max(1, size // (side * along))
    for size, along in zip(batch, warps[:-2], strict=False):
        count *= max(1, size // along)
    return count
