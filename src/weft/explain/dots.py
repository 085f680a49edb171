"""List the dots: the instruction, its tile, the count per warp, and why it was chosen.

128x128x64, mfma 32x32x8, 2x2 warps   →   (128 / 64) · (128 / 64) · (64 / 8) = 32 per warp
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.decisions import Decision
from weft.explain.labels import Labels, loop_depth
from weft.explain.model import Change, Dot
from weft.ir import locations, ttg, types
from weft.ir.rewriting import walk
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding, Encoding, NvidiaMmaEncoding
from weft.lowering_plans.dot import depth_of, element_bits

__all__ = ["DotWork", "dot_work", "find_dots"]

_DOTS = (
    "tt.dot",
    "tt.dot_scaled",
    "ttng.warp_group_dot",
    "ttng.tc_gen5_mma",
    "ttng.tc_gen5_mma_scaled",
)
_INSTRUCTION_SELECTION = ("tritongpu-accelerate-matmul", "tritonamdgpu-accelerate-matmul")
_MMA_K_BITS = 256  # mma, wgmma and tcgen05.mma read 32 bytes of each row of a: k = 16 for f16
_FMA_TILE = (1, 1, 1)

# Facts that are fields of a Dot.
_FIELD_FACTS = ("instruction", "tile", "shape", "instructions per warp")


@dataclass(frozen=True, slots=True)
class _Instruction:
    """An instruction that computes a dot.

    Attributes:
        name: "mma m16n8k16".
        tile: Its m, n and k; of one warp for wgmma.
        warps: The warps along each dimension of the result.
    """

    name: str
    tile: tuple[int, ...]
    warps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DotWork:
    """The arithmetic of a dot.

    Attributes:
        multiply_adds: The multiply-adds.
        bits: The bits of an element of the operands, as of `element_bits`.
        is_matrix: Whether matrix units compute it.
    """

    multiply_adds: int
    bits: int
    is_matrix: bool


def dot_work(op: Operation) -> DotWork | None:
    """Count the arithmetic of a dot; None for another operation."""
    if op.name not in _DOTS:
        return None
    a, result = op.operands[0], _tensor_result(op)
    shape = (*_shape(_result_or_accumulator(op)), depth_of(op))
    tile = _instruction(op, result, a, 1, len(shape) - 1).tile
    return DotWork(math.prod(shape), element_bits(op), tile != _FMA_TILE)


def find_dots(
    module: ModuleOp,
    labels: Labels,
    num_warps: int,
    history: Mapping[SSAValue, tuple[Change, ...]],
    decisions: Sequence[Decision],
) -> Iterator[Dot]:
    """Yield every dot of a module.

    Args:
        module: The module.
        labels: Its names.
        num_warps: The warps of a program.
        history: The layout changes of each value.
        decisions: All recorded decisions.
    """
    decisions_by_location = {
        decision.location: decision
        for decision in decisions
        if decision.stage in _INSTRUCTION_SELECTION and (decision.candidates or decision.facts)
    }
    for op in walk(module):
        if op.name in _DOTS:
            decision = _find_decision(op, history, decisions_by_location)
            yield _dot(op, labels, num_warps, decision)


def _dot(op: Operation, labels: Labels, num_warps: int, decision: Decision | None) -> Dot:
    a = op.operands[0]
    result = _tensor_result(op)
    shape = (*_shape(_result_or_accumulator(op)), depth_of(op))
    instruction = _instruction(op, result, a, num_warps, len(shape) - 1)
    facts = () if decision is None else decision.facts
    candidates = () if decision is None else decision.candidates
    name = dict(facts).get("instruction", instruction.name)
    # NVIDIA's candidates are named without the shape: "mma.sync" for the choice "mma.sync 16x8, …".
    chosen = {name, decision.choice.partition(" ")[0] if decision else ""}
    rejected = ((one.choice, one.score) for one in candidates if one.choice not in chosen)
    return Dot(
        op=op.name,
        value="" if result is None else labels.value(result),
        location=labels.line(op),
        type=f"{'x'.join(map(str, shape))}x{_element(a)}",
        loop_depth=loop_depth(op),
        instruction=name,
        tile=instruction.tile,
        per_warp=_count_per_warp(shape, instruction),
        warps=instruction.warps,
        why=decision.reason if decision else "not recorded; read off the layout of the result",
        rejected=tuple(dict.fromkeys(rejected)),
        facts=tuple(fact for fact in facts if fact[0] not in _FIELD_FACTS),
    )


def _find_decision(
    op: Operation,
    history: Mapping[SSAValue, tuple[Change, ...]],
    decisions_by_location: Mapping[str, Decision],
) -> Decision | None:
    """Find the decision about the result of a dot, else about its line in the kernel.

    Later passes may replace the dot, or move its accumulator to tensor memory; its source
    position stays.
    """
    result = _tensor_result(op)
    for change in reversed(history.get(result, ()) if result is not None else ()):
        decision = change.decision
        if decision and decision.stage in _INSTRUCTION_SELECTION and decision.candidates:
            return decision
    position = locations.position(op.location)
    if position is None:
        return None
    return decisions_by_location.get(f"{position.file}:{position.line}:{position.column}")


def _tensor_result(op: Operation) -> SSAValue | None:
    return op.results[0] if op.results and types.is_tensor(op.results[0].type) else None


def _result_or_accumulator(op: Operation) -> SSAValue:
    result = _tensor_result(op)
    return op.operands[2] if result is None else result


def _shape(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a tensor or a buffer."""
    type_ = value.type
    return type_.shape if isinstance(type_, ttg.MemDescType) else types.shape(type_)


def _element(value: SSAValue) -> Attribute:
    """Return the element type of a tensor or a buffer."""
    type_ = value.type
    return type_.element_type if isinstance(type_, ttg.MemDescType) else types.element(type_)


def _instruction(
    op: Operation, result: SSAValue | None, a: SSAValue, num_warps: int, rank: int
) -> _Instruction:
    bits = types.bit_width(_element(a))
    if op.name.startswith("ttng.tc_gen5"):
        m, n = _shape(_result_or_accumulator(op))[-2:]
        tile = (min(m, 128), n, _MMA_K_BITS // bits)
        return _Instruction("tcgen05.mma", tile, (1,) * rank)
    encoding = None if result is None else types.encoding(result.type)
    return _instruction_of_layout(encoding, bits, num_warps, rank)


def _instruction_of_layout(
    encoding: Encoding | None, bits: int, num_warps: int, rank: int
) -> _Instruction:
    """Derive the instruction of a dot from the layout of its result.

    Args:
        encoding: The layout.
        bits: The bits of an element of the operands, as of `element_bits`.
        num_warps: The warps of a program.
        rank: The rank of the result.
    """
    if isinstance(encoding, NvidiaMmaEncoding):
        if encoding.version_major > 2:
            # The encoding has the tile of one warp; wgmma has four warps along m.
            m, n, *k_size = encoding.instr_shape[-3:]
            k = k_size[0] if k_size else _MMA_K_BITS // bits
            return _Instruction(f"wgmma m{4 * m}n{n}k{k}", (m, n, k), encoding.warps_per_cta)
        k = _MMA_K_BITS // bits
        return _Instruction(f"mma m16n8k{k}", (16, 8, k), encoding.warps_per_cta)
    if isinstance(encoding, AmdMfmaEncoding):
        m, n, k = encoding.instr_shape[-3:]
        return _Instruction(f"mfma {m}x{n}x{k}", (m, n, k), encoding.warps_per_cta)
    if isinstance(encoding, AmdWmmaEncoding):
        m, n, k = encoding.instr_shape[-3:]
        return _Instruction(f"wmma {m}x{n}x{k}", (m, n, k), _wmma_warps(encoding, rank))
    return _Instruction("fma", _FMA_TILE, (num_warps, *(1,) * (rank - 1)))


def _wmma_warps(encoding: AmdWmmaEncoding, rank: int) -> tuple[int, ...]:
    """Count the warps along each dimension: each basis vector of "warp" doubles one."""
    warps = [1] * rank
    for basis in encoding.warp:
        for dim, step in enumerate(basis):
            if step:
                warps[dim] *= 2
    return tuple(warps)


def _count_per_warp(shape: tuple[int, ...], instruction: _Instruction) -> int:
    """Count the instructions that one warp executes.

    Args:
        shape: Batch dimensions, m, n and k.
        instruction: The instruction.
    """
    tile, warps = instruction.tile, instruction.warps
    if tile == _FMA_TILE:
        return max(1, math.prod(shape) // math.prod(warps))
    *batch, m, n, k = shape
    count = max(1, k // tile[2])
    for size, tile_size, num_warps in zip((m, n), tile[:2], warps[-2:], strict=True):
        count *= max(1, size // (tile_size * num_warps))
    for size, num_warps in zip(batch, warps[:-2], strict=False):
        count *= max(1, size // num_warps)
    return count
