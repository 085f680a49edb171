"""Values that exist in a second layout, because they were converted or rematerialized.

    %x1 = ttg.convert_layout %x : #a -> #b          (%x, #b) ↦ %x1

Later slices that need %x in #b reuse %x1. When a loop or conditional is replaced by one with more
results, the entries of the old results move to the new ones.
"""

from __future__ import annotations

from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import erase
from weft.layouts import Encoding

__all__ = ["RematerializedValues"]


class RematerializedValues:
    """The values of a function in a second layout, during one phase.

    Attributes:
        erased: Operations that `finish` erases, in program order. They stay until then because
            later slices may still refer to them.
        affected: Operations that the clean-up has to visit.
    """

    __slots__ = ("_last", "_values", "affected", "erased")

    def __init__(self) -> None:
        self._values: dict[SSAValue, dict[Encoding, SSAValue]] = {}
        self._last: dict[SSAValue, Encoding] = {}  # the layout that was added last
        self.erased: list[Operation] = []
        self.affected: dict[Operation, None] = {}

    def get(self, value: SSAValue, encoding: Encoding) -> SSAValue | None:
        """Find a value in a layout, None if it does not exist in it."""
        others = self._values.get(value)
        return None if others is None else others.get(encoding)

    def add(self, value: SSAValue, encoding: Encoding, other: SSAValue) -> None:
        """Add `other`, which is equal to `value` and has another layout."""
        self._values.setdefault(value, {})[encoding] = other
        self._last[value] = encoding

    def rename(self, pairs: list[tuple[SSAValue, SSAValue]]) -> None:
        """Move entries of replaced values to their replacements.

        Args:
            pairs: (old, new). Like in Triton, only the entry that was added last moves.
        """
        new_of = dict(pairs)
        for old, new in pairs:
            encoding = self._last.pop(old, None)
            if encoding is not None:
                other = self._values[old].pop(encoding)
                self.add(new, encoding, new_of.get(other, other))

    def finish(self) -> dict[Operation, None]:
        """Erase the operations in `erased`; return the affected ones that remain, in order."""
        affected = self.affected
        for op in self.erased:
            # The producers of its operands may be dead now.
            for value in op.operands:
                if type(value) is OpResult:
                    affected[value.op] = None
            for result in op.results:
                assert result.first_use is None
        for op in reversed(self.erased):
            affected.pop(op, None)
            erase(op)
        return affected

    def mark_users_affected(self, value: SSAValue) -> None:
        """Add the users of a value that is about to be replaced to `affected`."""
        for use in value.uses:
            self.affected[use.operation] = None
