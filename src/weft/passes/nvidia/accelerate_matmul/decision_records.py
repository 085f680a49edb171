"""The decisions of the pass for the ledger: the instruction of each dot and the rejected ones."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import DotOperandEncoding, Encoding, NvidiaMmaEncoding
from weft.passes.ledger import Candidate, record_decision, source_position
from weft.passes.registry import Pass
from weft.targets.tensor_cores import MmaFamily

__all__ = ["DecisionRecorder"]


def _join(values: Iterable[int], separator: str = "x") -> str:
    return separator.join(map(str, values))


class DecisionRecorder(Struct, frozen=True):
    """Records the decisions of one run of the pass.

    Attributes:
        by: The pass.
    """

    by: Pass

    def record_fma(self, op: Operation, candidates: Iterable[Candidate]) -> None:
        """Record that a dot is computed by FMA."""
        result = op.results[0]
        record_decision(
            self.by,
            result,
            f"FMA, {types.encoding(result.type)}",
            "no matrix instruction of the target supports it",
            candidates=candidates,
        )

    def record_unsupported_scales(self, op: Operation, candidate: Candidate) -> None:
        """Record that no instruction that reads scales supports a scaled dot."""
        result = op.results[0]
        record_decision(
            self.by,
            result,
            "scales multiplied into the operands",
            "the target's instruction with scales does not support it",
            candidates=[candidate],
        )

    def record_dot(
        self,
        dot: Operation,
        accumulator: SSAValue,
        operands: tuple[SSAValue, SSAValue],
        family: MmaFamily,
        encoding: NvidiaMmaEncoding,
        reason: str,
        candidates: Iterable[Candidate],
    ) -> None:
        """Record the instruction of a dot with its result in registers."""
        result = dot.results[0]
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
            f"{family.instruction} {_join(tile)}, {encoding}",
            f"the first instruction of the target that supports the dot; {reason}",
            candidates=candidates,
            facts=[
                ("warps per dimension", _join(warps)),
                ("tiles of a warp", _join(per_warp)),
            ],
        )
        anchor = f"{dot.name} {source_position(result)}".strip()
        record_decision(
            self.by, accumulator, str(encoding), "the accumulator of the dot", anchor=anchor
        )
        for name, value in zip("AB", operands, strict=True):
            self._record_operand(name, value, anchor)

    def record_accumulator(
        self,
        source: SSAValue,
        loaded: SSAValue,
        memory: Encoding | None,
        instruction: str,
        tile: tuple[int, ...],
        candidates: Iterable[Candidate],
    ) -> None:
        """Record the instruction of a dot with its accumulator in tensor memory."""
        registers = str(types.encoding(loaded.type))
        record_decision(
            self.by,
            loaded,
            f"{instruction} {_join(tile)}, {memory}",
            "the first instruction of the target that supports the dot; each lane loads a row",
            candidates=candidates,
            facts=[("registers", registers)],
        )
        reason = "the accumulator of the dot, in the register layout of tensor memory"
        record_decision(
            self.by,
            source,
            registers,
            reason,
            anchor=f"{instruction} {source_position(loaded)}".strip(),
        )

    def _record_operand(self, name: str, value: SSAValue, anchor: str) -> None:
        type_ = value.type
        if isinstance(type_, ttg.MemDescType):
            self.record_buffer(name, value, type_.encoding, anchor)
            return
        encoding = types.encoding(type_)
        assert isinstance(encoding, DotOperandEncoding)
        bits = types.bit_width(type_)
        record_decision(
            self.by,
            value,
            str(encoding),
            f"operand {name} in registers: kWidth has 32 bits of a row in the type that was loaded",
            facts=[("kWidth", str(encoding.k_width)), ("bits of an element", str(bits))],
            anchor=anchor,
        )

    def record_buffer(
        self, name: str, value: SSAValue, encoding: Encoding | None, anchor: str
    ) -> None:
        """Record the layout of an operand in shared memory."""
        record_decision(
            self.by,
            value,
            str(encoding),
            f"operand {name} in shared memory, with the widest swizzle that its rows allow",
            anchor=anchor,
        )

    def record_result(self, value: SSAValue, dot: Operation) -> None:
        """Record the result of a dot, converted to its old layout."""
        self.record_layout(value, "users of the dot keep their layout", dot)

    def record_layout(self, value: SSAValue, reason: str, dot: Operation) -> None:
        """Record the layout of a value that was created for a dot."""
        anchor = (
            f"{dot.name} {source_position(dot.results[0])}".strip() if dot.results else dot.name
        )
        record_decision(self.by, value, str(types.encoding(value.type)), reason, anchor=anchor)
