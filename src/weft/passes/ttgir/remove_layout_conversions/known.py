"""Values that are there in a second layout already: converted, or computed again.

    %x1 = ttg.convert_layout %x : #a -> #b          (%x, #b) is %x1

Where a loop or conditional is replaced by one that gives more, its results are new values; what
was known of the old ones is known of them.
"""

from __future__ import annotations

from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import erase
from weft.layouts import Encoding

__all__ = ["Known"]


class Known:
    """The values known in a second layout, while one phase works on one function."""

    __slots__ = ("_last", "_values", "gone", "touched")

    def __init__(self) -> None:
        self._values: dict[SSAValue, dict[Encoding, SSAValue]] = {}
        self._last: dict[SSAValue, Encoding] = {}
        self.gone: list[Operation] = []
        self.touched: dict[Operation, None] = {}

    def get(self, value: SSAValue, encoding: Encoding) -> SSAValue | None:
        """Return a value in a layout, None where it is not known."""
        others = self._values.get(value)
        return None if others is None else others.get(encoding)

    def add(self, value: SSAValue, encoding: Encoding, other: SSAValue) -> None:
        """Remember that `other` is the same as a value, in another layout."""
        self._values.setdefault(value, {})[encoding] = other
        self._last[value] = encoding

    def replaced(self, pairs: list[tuple[SSAValue, SSAValue]]) -> None:
        """Take over what is known of values that others stand for now.

        Args: pairs: (old, new).  Only the layout that was remembered last is taken over.
        """
        new_of = dict(pairs)
        for old, new in pairs:
            encoding = self._last.pop(old, None)
            if encoding is not None:
                other = self._values[old].pop(encoding)
                self.add(new, encoding, new_of.get(other, other))

    def end(self) -> dict[Operation, None]:
        """Erase what is gone; return what was touched, in order."""
        touched = self.touched
        for op in self.gone:
            for value in op.operands:
                if type(value) is OpResult:
                    touched[value.op] = None
            for result in op.results:
                assert result.first_use is None
        for op in reversed(self.gone):
            touched.pop(op, None)
            erase(op)
        return touched

    def touch_readers(self, value: SSAValue) -> None:
        """Note that the readers of a value read another one now."""
        for use in value.uses:
            self.touched[use.operation] = None
