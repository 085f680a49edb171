"""What the pass writes to the ledger: per dot the instruction, its tile, and who was refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import DotOperandEncoding, Encoding, NvidiaMmaEncoding
from weft.passes.ledger import Candidate, record_decision, source_position
from weft.passes.registry import Pass
from weft.targets.tensor_cores import MmaFamily

__all__ = ["Notes"]


def _listed(values: Iterable[int], between: str = "x") -> str:
    return between.join(map(str, values))


@dataclass(frozen=True, slots=True)
class Notes:
    """Write down decisions of one pass."""

    by: Pass

    def by_threads(self, op: Operation, over: Iterable[Candidate]) -> None:
        """A dot stays as it is: every thread multiplies and adds for itself."""
        result = op.results[0]
        record_decision(
            self.by,
            result,
            f"fused multiply-adds, {types.encoding(result.type)}",
            "no matrix instruction of the chip takes it",
            over=over,
        )

    def refused(self, op: Operation, candidate: Candidate) -> None:
        """A scaled dot cannot have an instruction that reads scales."""
        result = op.results[0]
        record_decision(
            self.by,
            result,
            "scales multiplied into the operands",
            "the instruction of the chip that reads scales does not take it",
            over=[candidate],
        )

    def dot(
        self,
        made: Operation,
        accumulator: SSAValue,
        operands: tuple[SSAValue, SSAValue],
        family: MmaFamily,
        encoding: NvidiaMmaEncoding,
        why: str,
        over: Iterable[Candidate],
    ) -> None:
        """A dot got an instruction that leaves its result in registers."""
        result = made.results[0]
        tile, warps = encoding.instr_shape, encoding.warps_per_cta
        shape = types.shape(result.type)
        per_warp = [
            max(1, size // (length * count))
            for size, length, count in zip(
                shape[-2:],
                tile[-3:-1] if family.version == 3 else tile[-2:],
                warps[-2:],
                strict=True,
            )
        ]
        record_decision(
            self.by,
            result,
            f"{family.instruction} {_listed(tile)}, {encoding}",
            f"the first family of the chip that takes the dot; {why}",
            over=over,
            facts=[
                ("warps per dimension", _listed(warps)),
                ("tiles of a warp", _listed(per_warp)),
            ],
        )
        anchor = f"{made.name} {source_position(result)}".strip()
        record_decision(
            self.by, accumulator, str(encoding), "the accumulator of the dot", anchor=anchor
        )
        for name, value in zip("AB", operands, strict=True):
            self.operand(name, value, anchor)

    def accumulator(
        self,
        source: SSAValue,
        loaded: SSAValue,
        memory: Encoding | None,
        instruction: str,
        tile: tuple[int, ...],
        over: Iterable[Candidate],
    ) -> None:
        """A dot got an instruction that leaves its result in tensor memory."""
        registers = str(types.encoding(loaded.type))
        record_decision(
            self.by,
            loaded,
            f"{instruction} {_listed(tile)}, {memory}",
            "the first family of the chip that takes the dot; read back with a row in each lane",
            over=over,
            facts=[("registers", registers)],
        )
        why = "the accumulator of the dot, in the registers that reach tensor memory"
        record_decision(
            self.by,
            source,
            registers,
            why,
            anchor=f"{instruction} {source_position(loaded)}".strip(),
        )

    def operand(self, name: str, value: SSAValue, anchor: str) -> None:
        """An operand was put where the instruction reads it."""
        type_ = value.type
        if isinstance(type_, ttg.MemDescType):
            self.buffer(name, value, type_.encoding, anchor)
            return
        encoding = types.encoding(type_)
        assert isinstance(encoding, DotOperandEncoding)
        bits = types.bit_width(type_)
        record_decision(
            self.by,
            value,
            str(encoding),
            f"operand {name} in registers: 32 bits of a row in each lane, counted in the narrowest "
            "type that it was loaded as",
            facts=[("kWidth", str(encoding.k_width)), ("bits of an element", str(bits))],
            anchor=anchor,
        )

    def buffer(self, name: str, value: SSAValue, encoding: Encoding | None, anchor: str) -> None:
        """An operand was put into shared memory."""
        record_decision(
            self.by,
            value,
            str(encoding),
            f"operand {name} in shared memory, as wide an exchange as its rows allow",
            anchor=anchor,
        )

    def back(self, value: SSAValue, dot: Operation) -> None:
        """The result of a dot was given back in the layout that it had."""
        self.follows(value, "the layout that users of the result expect, until they change", dot)

    def follows(self, value: SSAValue, why: str, dot: Operation) -> None:
        """A value was made for a dot, in a layout that follows from it."""
        anchor = (
            f"{dot.name} {source_position(dot.results[0])}".strip() if dot.results else dot.name
        )
        record_decision(self.by, value, str(types.encoding(value.type)), why, anchor=anchor)
