"""The tensor values of a kernel, and the layouts that passes gave them."""

from __future__ import annotations

from dataclasses import dataclass

from weft.decisions import Decision
from weft.errors import Location

__all__ = ["Change", "Value"]


@dataclass(frozen=True, slots=True)
class Change:
    """The layout that one pass gave a value.

    Attributes:
        stage: The name of the pass.
        layout: The text of the layout after the pass.
        why: The rule that decided, in one sentence.
        decision: The recorded decision with candidates, facts, anchor and costs, if there is one.
    """

    stage: str
    layout: str
    why: str
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """One tensor value of the final IR.

    Attributes:
        name: Its name as the IR is printed with the names of variables: "%acc".
        op: The name of its defining operation.
        type: Shape and element type: "128x64xf16".
        layout: The name of its layout in the report.
        encoding: The text of its layout.
        location: The line of the kernel.
        history: The layouts that passes gave it, oldest first.
    """

    name: str
    op: str
    type: str
    layout: str
    encoding: str
    location: Location | None
    history: tuple[Change, ...]

    @property
    def reason(self) -> str:
        """The reason for the layout, "" if it is unknown."""
        return self.history[-1].why if self.history else ""
