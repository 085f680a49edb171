"""Inline calls.

Before:  tt.func public @k(%x: f32) -> f32 {         After:  tt.func public @k(%x: f32) -> f32 {
           %0 = tt.call @twice(%x)                             %0 = arith.addf %x, %x
           tt.return %0                                        tt.return %0
         }                                                   }
         tt.func private @twice(%a: f32) -> f32 {
           %0 = arith.addf %a, %a
           tt.return %0
         }

Functions are processed callees first, and canonicalized before their calls are inlined, so that the
copied bodies are small. The last call of a private function takes the body instead of a copy, and
a private function that nothing calls is erased.
If the callee has several blocks (early returns), the caller's block is split at the call: the
operations after it go to a new block whose arguments are the results. Functions with
`noinline = true` and recursive functions are not inlined.

Preserves values and the order of effects.
Source: measured on Triton 3.7.1 (`inline`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ClassVar

from msgspec import Struct

from weft.errors import UnknownPassError
from weft.ir import cf, locations, tt
from weft.ir.attributes import number
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import clone_region, erase
from weft.passes.common.canonicalize import canonicalize
from weft.passes.rewrite.rewriter import drop_block

__all__ = ["Inline", "inline_calls"]

_PIPELINES = ("canonicalize", "")
_ANY_SIZE = 4294967295


class Inline(Struct, frozen=True):
    """Inlines every call that can be inlined, and canonicalizes every function.

    Attributes:
        default_pipeline: The pipeline to run on each function before its calls are inlined:
            "canonicalize", or "" for none.
        max_iterations: How often to process a group of functions again while calls are inlined.
        inlining_threshold: The maximal size of a callee; only the default, unlimited, is supported.
    """

    default_pipeline: str = "canonicalize"
    max_iterations: int = 4
    inlining_threshold: int = _ANY_SIZE

    name: ClassVar[str] = "inline"

    def __post_init__(self) -> None:
        if self.default_pipeline not in _PIPELINES:
            raise UnknownPassError(
                "pass inline: default-pipeline not supported",
                found=self.default_pipeline,
                accepted=[pipeline or '"" (nothing)' for pipeline in _PIPELINES],
            )
        if self.inlining_threshold != _ANY_SIZE:
            raise UnknownPassError(
                "pass inline: callees of every size are inlined",
                found=f"inlining-threshold={self.inlining_threshold}",
                accepted=[f"inlining-threshold={_ANY_SIZE}"],
            )
        if self.max_iterations < 0:
            raise UnknownPassError(
                "pass inline: max-iterations is a count", found=self.max_iterations
            )

    def run(self, module: ModuleOp) -> None:
        """Inline calls in place."""
        simplify = canonicalize if self.default_pipeline else None
        inline_calls(module, simplify, self.max_iterations)


def inline_calls(
    module: ModuleOp, simplify: Callable[[tt.FuncOp], object] | None, max_iterations: int = 4
) -> None:
    """Inline every call that can be inlined, in place.

    Args:
        module: The module.
        simplify: Simplifies a function before its calls are inlined.
        max_iterations: How often to process a group of functions again while calls are inlined.
    """
    functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
    graph = _CallGraph(functions)
    for group in _callees_first(functions):
        for _ in range(max(1, max_iterations)):
            for name in group:
                if name in functions:
                    if simplify is not None:
                        simplify(functions[name])
                    graph.update(name)
            graph.erase_unused(group)
            if not any([graph.inline_calls(name, group) for name in group]):
                break


class _CallGraph:
    """The functions of a module and the calls between them.

    Attributes:
        functions: By name.
    """

    def __init__(self, functions: dict[str, tt.FuncOp]) -> None:
        self.functions = functions
        self._call_counts: dict[str, dict[str, int]] = {}  # caller → callee → number of calls
        self._calls: dict[str, list[tt.CallOp]] = {}  # by caller
        for name in functions:
            self.update(name)

    def update(self, caller: str) -> None:
        """Find and count the calls in a function that changed."""
        counts: dict[str, int] = {}
        self._calls[caller] = _calls_in(self.functions[caller])
        for op in self._calls[caller]:
            callee = _callee(op)
            counts[callee] = counts.get(callee, 0) + 1
        self._call_counts[caller] = counts

    def _number_of_calls(self, callee: str) -> int:
        return sum(counts.get(callee, 0) for counts in self._call_counts.values())

    def erase_unused(self, group: tuple[str, ...]) -> None:
        """Erase the private functions of a group that nothing calls."""
        for name in group:
            function = self.functions.get(name)
            if function is None or function.is_public or self._number_of_calls(name):
                continue
            self._erase(name)

    def _erase(self, name: str) -> None:
        erase(self.functions.pop(name))
        del self._call_counts[name]

    def inline_calls(self, caller: str, group: tuple[str, ...]) -> bool:
        """Inline the calls in a function; return whether any was inlined.

        Args:
            caller: The function.
            group: The functions that call each other recursively, `caller` included. Calls of these
                stay.
        """
        if caller not in self.functions:
            return False
        changed = False
        for call in self._calls[caller]:
            name = _callee(call)
            callee = self.functions.get(name)
            if callee is None or name in group or not _can_inline(call, callee):
                continue
            is_last_call = not callee.is_public and self._number_of_calls(name) == 1
            _inline(call, callee, move=is_last_call)
            self._call_counts[caller][name] -= 1
            for inner, count in self._call_counts[name].items():
                self._call_counts[caller][inner] = self._call_counts[caller].get(inner, 0) + count
            if is_last_call:
                self._erase(name)
            changed = True
        return changed


def _callee(call: tt.CallOp) -> str:
    return call.callee.root_reference.data


def _calls_in(op: Operation) -> list[tt.CallOp]:
    """List the calls inside an operation, in order."""
    calls: list[tt.CallOp] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if type(inner) is tt.CallOp:
                    calls.append(inner)
                elif inner.regions:
                    calls += _calls_in(inner)
    return calls


def _callees_first(functions: dict[str, tt.FuncOp]) -> list[tuple[str, ...]]:
    """List the strongly connected components of the call graph, callees first.

    Source: Tarjan, Depth-First Search and Linear Graph Algorithms, 1972.
    """
    order: dict[str, int] = {}  # of the first visit
    lowest: dict[str, int] = {}  # the earliest function on the stack that can be reached
    stack: list[str] = []
    groups: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for call in _calls_in(functions[name]):
            callee = _callee(call)
            if callee not in functions:
                continue
            if callee not in order:
                visit(callee)
            if callee in stack:
                lowest[name] = min(lowest[name], lowest[callee])
        if lowest[name] == order[name]:
            start = stack.index(name)
            groups.append(tuple(stack[start:]))
            del stack[start:]

    for name in functions:
        if name not in order:
            visit(name)
    return groups


def _can_inline(call: tt.CallOp, callee: tt.FuncOp) -> bool:
    region = callee.regions[0]
    if region.blocks.first is None or number(callee.attributes.get("noinline")):
        return False
    has_many_blocks = region.blocks.first.next_block is not None
    # Regions of scf operations, reductions and scans have a single block, which cannot be split.
    return not has_many_blocks or isinstance(call.parent_op(), tt.FuncOp | tt.MapElementwiseOp)


def _inline(call: tt.CallOp, callee: tt.FuncOp, *, move: bool) -> None:
    """Replace a call by the body of the callee, which is moved or copied."""
    body = callee.regions[0] if move else clone_region(callee.regions[0], {})
    _relocate(body, call.location)
    entry = body.blocks.first
    assert entry is not None
    for argument, value in zip(tuple(entry.args), tuple(call.args_), strict=True):
        argument.replace_all_uses_with(value)
    if entry.next_block is None:
        _inline_block(call, entry)
    else:
        _inline_blocks(call, body, entry)


def _relocate(body: Region, caller: LocationAttr) -> None:
    """Add the call site to the location of each operation and block argument inside."""

    @cache
    def with_call_site(location: LocationAttr) -> LocationAttr:
        return locations.stack_call_sites(location, caller)

    for block in body.blocks:
        for op in block.walk():
            op.location = with_call_site(op.location)
            for region in op.regions:
                for inner in region.blocks:
                    for argument in inner.args:
                        argument.location = with_call_site(argument.location)


def _inline_block(call: tt.CallOp, entry: Block) -> None:
    """Move the operations of a single block before the call."""
    last = entry.last_op
    assert last is not None
    _move_before(call, entry, until=last)
    _replace_results(call, tuple(last.operands))
    erase(last)
    erase(call)
    drop_block(entry)


def _move_before(call: Operation, source: Block, until: Operation | None) -> None:
    block = call.parent
    assert block is not None
    while (op := source.first_op) is not until and op is not None:
        op.detach()
        block.insert_op_before(op, call)


def _replace_results(call: Operation, values: tuple[SSAValue, ...]) -> None:
    for result, value in zip(call.results, values, strict=True):
        result.replace_all_uses_with(value)


def _inline_blocks(call: tt.CallOp, body: Region, entry: Block) -> None:
    """Split the caller's block at the call and insert the callee's blocks in between."""
    before = call.parent
    assert before is not None
    region = before.parent
    assert region is not None
    after = before.split_before(call, arg_types=[result.type for result in call.results])
    for argument, result in zip(after.args, call.results, strict=True):
        argument.name_hint = result.name_hint
        argument.location = call.location
    _replace_results(call, tuple(after.args))
    erase(call)
    for block in tuple(body.blocks):
        last = block.last_op
        if isinstance(last, tt.ReturnOp):
            branch = cf.BranchOp.create(
                operands=tuple(last.operands), successors=[after], location=last.location
            )
            erase(last)
            block.add_op(branch)
    while (op := entry.first_op) is not None:
        op.detach()
        before.add_op(op)
    blocks = tuple(body.blocks)[1:]
    for block in blocks:
        body.detach_block(block)
    if blocks:
        region.insert_block_after(blocks, before)
    drop_block(entry)
