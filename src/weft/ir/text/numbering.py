"""Name values and blocks as MLIR does.

Values are numbered region by region: first all values in the blocks of a function (%0, %1, …), then
those in each nested region, starting with the next number. So both regions of an `scf.if` use the
same numbers. Constants are named after their value (%c1_i32, %cst, %true), entry arguments %arg0,
%arg1, …. A name that is in use gets a suffix from one counter (%cst_0).

Source: MLIR, AsmPrinter.cpp, SSANameState.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import cache, lru_cache

from msgspec import Struct, field
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from weft.ir.arith import ConstantOp
from weft.ir.locations import CallSiteLoc, FusedLoc, LocationAttr, NameLoc
from weft.ir.operation import Op

_PLAIN = frozenset(string.ascii_letters + string.digits + "_$.-")
_NUMBERED = re.compile(r"arg\d+")


class _Scope(Struct):
    """The names that are visible in a region, and the counters that nested regions continue.

    Attributes:
        values: The next value number.
        arguments: The next number of an entry argument.
        conflicts: The next suffix of a name in use.
        used: The names in use.
    """

    values: int = 0
    arguments: int = 0
    conflicts: int = 0
    used: set[str] = field(default_factory=set)

    def inner(self) -> _Scope:
        return _Scope(self.values, self.arguments, self.conflicts, set(self.used))

    def unique(self, name: str) -> str:
        if name in self.used:
            while (candidate := f"{name}_{self.conflicts}") in self.used:
                self.conflicts += 1
            self.conflicts += 1
            name = candidate
        self.used.add(name)
        return name

    def number(self) -> str:
        self.values += 1
        return str(self.values - 1)

    def argument(self) -> str:
        self.arguments += 1
        return f"arg{self.arguments - 1}"


class Names:
    """The names of the values and blocks inside an operation.

    Args:
        top: The operation.
        named: Use the names in locations (`loc("acc"(…))`), as Triton's dumps do.
    """

    def __init__(self, top: Operation, *, named: bool = False) -> None:
        self.values: dict[SSAValue, str] = {}
        self.blocks: dict[Block, str] = {}
        self.named = named
        scope = _Scope()
        self._operation(top, scope)
        stack = [(region, scope.inner()) for region in top.regions]
        while stack:
            region, scope = stack.pop()
            nested = self._region(region, scope)
            stack.extend((inner, scope.inner()) for inner in nested)

    def _region(self, region: Region, scope: _Scope) -> list[Region]:
        nested: list[Region] = []
        for index, block in enumerate(region.blocks):
            self.blocks[block] = f"bb{index}"
            for argument in block.args:
                hint = self._hint(argument.location) or self._name_in_text(argument)
                number = scope.argument() if index == 0 else ""  # consumed even if there is a hint
                name = scope.unique(hint or number) if hint or number else scope.number()
                self.values[argument] = name
            for op in block.ops:
                self._operation(op, scope)
                nested.extend(op.regions)
        return nested

    def _operation(self, op: Operation, scope: _Scope) -> None:
        results = op.results
        if not results:
            return
        hint = self._hint(op.location)
        if isinstance(op, Op) and op.RESULT_NAMES:
            at = 0
            for name, count in zip(op.RESULT_NAMES, op.result_groups(), strict=True):
                if count:
                    self._group(results[at : at + count], scope.unique(hint or name))
                    at += count
            return
        hint = hint or _constant_name(op)
        self._group(results, scope.unique(hint) if hint else scope.number())

    def _group(self, results: Sequence[SSAValue], name: str) -> None:
        if len(results) == 1:
            self.values[results[0]] = name
        else:
            for index, result in enumerate(results):
                self.values[result] = f"{name}#{index}"

    def _hint(self, location: LocationAttr) -> str:
        return _identifier(_first_name(location)) if self.named else ""

    def _name_in_text(self, argument: BlockArgument) -> str:
        """Get the name of a loop argument in the text that was parsed.

        MLIR names such arguments by their location, but does not print it.
        """
        hint = argument.name_hint if self.named else None
        return "" if hint is None or _NUMBERED.fullmatch(hint) else hint


@lru_cache(maxsize=65536)
def _first_name(location: Attribute) -> str:
    """Get the outermost name in a location, the callee's before the caller's; "" if none."""
    if isinstance(location, NameLoc):
        return location.desc.data
    if isinstance(location, CallSiteLoc):
        return _first_name(location.callee) or _first_name(location.caller)
    if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
        return next((name for child in location.locations.data if (name := _first_name(child))), "")
    return ""


@cache
def _identifier(name: str) -> str:
    """Convert a name to an identifier as MLIR does: `a_b2Bc` for `a b+c`, `_9a` for `9a`.

    Invalid bytes become hexadecimal digits, a blank becomes `_`; a `_` precedes a name that starts
    with a digit or an invalid byte.
    """
    if name.isascii() and name.isidentifier():
        return name
    text = "".join(
        chr(byte) if chr(byte) in _PLAIN else "_" if byte == 32 else f"{byte:X}"
        for byte in name.encode(errors="surrogatepass")
    )
    first = name[:1]
    plain = first in _PLAIN or first == " "
    return text if not text or (plain and not first.isdigit()) else f"_{text}"


def _constant_name(op: Operation) -> str:
    if not isinstance(op, ConstantOp):
        return ""
    value = op.properties["value"]
    if not isinstance(value, IntegerAttr):
        return "cst"
    if isinstance(value.type, IntegerType):
        width = value.type.width.data
        if width == 1:
            return "true" if value.value.data else "false"
        return f"c{value.value.data}_i{width}"
    return f"c{value.value.data}"
