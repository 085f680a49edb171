"""The table of instructions, and what a row of it says.

    @instruction("add", "sub")
    def _sum(form: Form) -> Meaning: …

A row gets the parts of a name, `add.rn.ftz.f32`, and returns the types of operands and results, and
a function of numbers. A part that no row takes is an error: nothing is passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from weft.errors import CodegenError, did_you_mean
from weft.ptx.kinds import is_type
from weft.registry import Registry

__all__ = ["Form", "Meaning", "instruction", "meaning_of"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an instruction does. run: from numbers of `sources` to those of `result`.

    is_loose: its operands may be registers wider than their types, and lose the bits above.
    """

    result: str
    sources: tuple[str, ...]
    run: Callable[..., Any]
    is_loose: bool = False


class Form:
    """The parts of an instruction's name, to be taken one by one."""

    def __init__(self, name: str) -> None:
        self.name = name
        head, *parts = name.split(".")
        self.head = head
        self.types = [part for part in parts if is_type(part)]
        self._left = [part for part in parts if not is_type(part)]

    def flag(self, *names: str) -> str:
        """Take the first of some parts that is there; "" for none."""
        for name in names:
            if name in self._left:
                self._left.remove(name)
                return name
        return ""

    def kind(self, *accepted: str) -> str:
        """Return the one type. Raises: CodegenError: it is none of those accepted."""
        if len(self.types) != 1 or self.types[0] not in accepted:
            raise CodegenError(f"no {self.head} of PTX that is known here", found=self.name)
        return self.types[0]

    def end(self) -> None:
        """Raises: CodegenError: parts are left that nothing took."""
        if self._left:
            raise CodegenError(
                f"{self.head} of PTX with .{self._left[0]} is not known here", found=self.name
            )


Row: TypeAlias = Callable[[Form], Meaning]
_ROWS = Registry[Row]("weft.ptx.families")


def instruction(*heads: str) -> Callable[[Row], Row]:
    """Register the meaning of instructions, by the first part of their names."""
    return _ROWS.register(*heads)


@cache
def meaning_of(name: str) -> Meaning:
    """Return what an instruction means.

    Raises: CodegenError: it, or a part of its name, is not known here.
    """
    form = Form(name)
    row = _ROWS.get(form.head)
    if row is None:
        raise CodegenError(
            "an instruction of PTX that is not known here",
            found=name,
            accepted=sorted(_ROWS),
            hint=did_you_mean(form.head, _ROWS),
        )
    found = row(form)
    form.end()
    return found
