"""Find the constexpr parameters of a kernel that are sizes of blocks, from its source.

    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)     BLOCK: a program has BLOCK rows
    for k in range(0, tl.cdiv(K, BLOCK_K)):                   BLOCK_K: an iteration has BLOCK_K
    columns = tl.arange(0, WIDTH)                             WIDTH: none, the tile is a whole row

Only such a parameter may get another value: the grid or the loop then covers the same elements.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from enum import StrEnum

__all__ = ["Share", "block_sizes"]


class Share(StrEnum):
    """Whose share of the elements a block is."""

    PROGRAM = "program"  # twice the block, half the programs
    ITERATION = "iteration"  # twice the block, half the iterations of a loop


def block_sizes(source: str, names: frozenset[str]) -> dict[str, Share]:
    """Map the parameters of a kernel that are sizes of blocks to whose share a block is.

    Args:
        source: The text of the kernel.
        names: Its constexpr parameters.
    """
    try:
        tree = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return {}
    function = next((each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)), None)
    if function is None or not names:
        return {}
    reader = _Reader(names)
    reader.visit(function)
    return {name: share for name, share in reader.shares.items() if name in reader.tiles}


class _Reader(ast.NodeVisitor):
    """Read a kernel statement by statement.

    Attributes:
        names: The constexpr parameters.
        shares: The parameters whose multiples are where blocks start.
        tiles: The parameters that are the size of a range.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.shares: dict[str, Share] = {}
        self.tiles: set[str] = set()
        self._origins: dict[str, Share] = {}  # variables that depend on a program's id, or a loop
        self._starts: dict[str, dict[str, Share]] = {}  # variables that are starts of blocks

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        origin, starts = self._origin(node.value), self._start(node.value)
        for target in node.targets:
            for name in _stored_names(target):
                if origin is not None:
                    self._origins[name] = origin
                if starts:
                    self._starts[name] = starts

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        origin = self._origin(node.value)
        if isinstance(node.target, ast.Name) and origin is not None:
            self._origins[node.target.id] = origin

    def visit_For(self, node: ast.For) -> None:
        steps = self._loop_blocks(node.iter)
        for name in _stored_names(node.target):
            self._origins[name] = Share.ITERATION
            self._starts[name] = dict.fromkeys(steps, Share.ITERATION)
        self.shares |= dict.fromkeys(steps, Share.ITERATION)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if _callee(node) == "arange" and len(node.args) == 2:
            self.tiles |= self._parameters(node.args[1])
        for keyword in node.keywords:
            if keyword.arg == "block_shape" and isinstance(keyword.value, ast.Tuple | ast.List):
                for size in keyword.value.elts:
                    self.tiles |= self._parameters(size)
        if _callee(node) in ("make_block_ptr", "load", "store", "advance"):
            for part in ast.walk(node):
                if isinstance(part, ast.BinOp):
                    self._add_shares(self._start(part))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add):
            for start, offsets in ((node.left, node.right), (node.right, node.left)):
                starts, ranges = self._start(start), self._ranges(offsets)
                self._add_shares({name: starts[name] for name in starts.keys() & ranges})

    def _add_shares(self, starts: Mapping[str, Share]) -> None:
        """Record where blocks start; a program's share is also divided by its loops."""
        for name, share in starts.items():
            if self.shares.get(name) is not Share.ITERATION:
                self.shares[name] = share

    def _parameters(self, node: ast.expr) -> set[str]:
        return {node.id} & self.names if isinstance(node, ast.Name) else set()

    def _ranges(self, node: ast.expr) -> set[str]:
        """Collect the parameters that are sizes of ranges in an expression."""
        calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
        return {
            name
            for call in calls
            if _callee(call) == "arange" and len(call.args) == 2
            for name in self._parameters(call.args[1])
        }

    def _loop_blocks(self, iterated: ast.expr) -> set[str]:
        """Collect the parameters that are the step of a range, or divide its bounds."""
        if not isinstance(iterated, ast.Call) or _callee(iterated) not in ("range", "static_range"):
            return set()
        steps = self._parameters(iterated.args[2]) if len(iterated.args) == 3 else set()
        for call in (each for each in ast.walk(iterated) if isinstance(each, ast.Call)):
            if _callee(call) == "cdiv" and len(call.args) == 2:
                steps |= self._parameters(call.args[1])
        return steps

    def _origin(self, node: ast.expr) -> Share | None:
        """Find whether a value depends on the program's id, or on a loop."""
        origins: set[Share] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self._origins:
                origins.add(self._origins[part.id])
            elif isinstance(part, ast.Call) and _callee(part) == "program_id":
                origins.add(Share.PROGRAM)
        return Share.ITERATION if Share.ITERATION in origins else next(iter(origins), None)

    def _start(self, node: ast.expr) -> dict[str, Share]:
        """Find the parameters of which a value is a multiple, by a program's id or a loop."""
        if isinstance(node, ast.Name):
            return self._starts.get(node.id, {})
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._start(node.left) | self._start(node.right)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for factor, size in ((node.left, node.right), (node.right, node.left)):
                origin = self._origin(factor)
                if origin is not None and isinstance(factor, ast.Name | ast.Call):
                    if parameters := self._parameters(size):
                        return dict.fromkeys(parameters, origin)
        if isinstance(node, ast.Call):  # tl.multiple_of(start, BLOCK), start.to(tl.int64)
            value = node.func.value if isinstance(node.func, ast.Attribute) else None
            candidates = (*node.args[:1], *(() if value is None else (value,)))
            for candidate in candidates:
                if starts := self._start(candidate):
                    return starts
        return {}


def _callee(call: ast.Call) -> str:
    """Get the last name of what is called: "arange" of tl.arange(…)."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _stored_names(target: ast.expr) -> Iterator[str]:
    for part in ast.walk(target):
        if isinstance(part, ast.Name):
            yield part.id
