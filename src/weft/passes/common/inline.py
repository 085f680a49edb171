"""Put the body of a function in place of each call to it.

Before:  tt.func public @k(%x: f32) -> f32 {         After:  tt.func public @k(%x: f32) -> f32 {
           %0 = tt.call @twice(%x)                             %0 = arith.addf %x, %x
           tt.return %0                                        tt.return %0
         }                                                   }
         tt.func private @twice(%a: f32) -> f32 {
           %0 = arith.addf %a, %a
           tt.return %0
         }

Functions are taken callees first, and each is canonicalized before its calls are looked at, so
that what is copied is already small. The last call of a private function takes the body itself.
A callee of several blocks (early returns) splits the caller's block: what stood behind the call
becomes a block whose arguments are the results. Functions marked `noinline = true` and those
that call themselves stay calls.

Keeps: values and the order of effects. Source: measured on Triton 3.7.1 (`inline`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from weft.errors import UnknownPassError
from weft.ir import cf, locations, tt
from weft.ir.attributes import number
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import clone_region, erase
from weft.passes.common.canonicalize import canonicalize
from weft.passes.rewrite.rewriter import drop_block

__all__ = ["Inline"]

_PIPELINES = ("canonicalize", "")
_ANY_SIZE = 4294967295


@dataclass(frozen=True, slots=True)
class Inline:
    """Post: no call of an inlinable function is left; every function is canonical.

    The options are MLIR's. default_pipeline: what is run on each function before its calls are
    looked at: "canonicalize" or "", nothing.  max_iterations: how often a function is looked at
    again after its calls were inlined.  inlining_threshold: only the default, any size.
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
        functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
        calls = _Calls(functions)
        for group in _callees_first(functions):
            for _ in range(max(1, self.max_iterations)):
                for name in group:
                    if name in functions:
                        if self.default_pipeline:
                            canonicalize(functions[name])
                        calls.recount(name)
                if not any([calls.inline_into(name, group) for name in group]):
                    break


class _Calls:
    """The functions of a module and how often each is called from where."""

    def __init__(self, functions: dict[str, tt.FuncOp]) -> None:
        self.functions = functions
        self._sites: dict[str, dict[str, int]] = {}
        self._calls: dict[str, list[tt.CallOp]] = {}
        for name in functions:
            self.recount(name)

    def recount(self, caller: str) -> None:
        """Find and count the calls in one function anew."""
        counts: dict[str, int] = {}
        self._calls[caller] = _calls_in(self.functions[caller])
        for op in self._calls[caller]:
            callee = _callee(op)
            counts[callee] = counts.get(callee, 0) + 1
        self._sites[caller] = counts

    def _uses(self, callee: str) -> int:
        return sum(counts.get(callee, 0) for counts in self._sites.values())

    def inline_into(self, caller: str, group: tuple[str, ...]) -> bool:
        """Inline every call that can be; return whether there was one."""
        if caller not in self.functions:
            return False
        done = False
        for call in self._calls[caller]:
            name = _callee(call)
            callee = self.functions.get(name)
            if callee is None or name in group or not _can_inline(call, callee):
                continue
            last = not callee.is_public and self._uses(name) == 1
            _inline(call, callee, move=last)
            self._sites[caller][name] -= 1
            for inner, count in self._sites[name].items():
                self._sites[caller][inner] = self._sites[caller].get(inner, 0) + count
            if last:
                del self.functions[name], self._sites[name]
                erase(callee)
            done = True
        return done


def _callee(call: tt.CallOp) -> str:
    return call.callee.root_reference.data


def _calls_in(op: Operation) -> list[tt.CallOp]:
    """Return the calls inside an operation, in order."""
    found: list[tt.CallOp] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if type(inner) is tt.CallOp:
                    found.append(inner)
                elif inner.regions:
                    found += _calls_in(inner)
    return found


def _callees_first(functions: dict[str, tt.FuncOp]) -> list[tuple[str, ...]]:
    """Return the groups of functions that call each other, callees before callers (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    groups: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        open_.append(name)
        for call in _calls_in(functions[name]):
            callee = _callee(call)
            if callee not in functions:
                continue
            if callee not in order:
                visit(callee)
            if callee in open_:
                lowest[name] = min(lowest[name], lowest[callee])
        if lowest[name] == order[name]:
            start = open_.index(name)
            groups.append(tuple(open_[start:]))
            del open_[start:]

    for name in functions:
        if name not in order:
            visit(name)
    return groups


def _can_inline(call: tt.CallOp, callee: tt.FuncOp) -> bool:
    region = callee.regions[0]
    if region.blocks.first is None or number(callee.attributes.get("noinline")):
        return False
    several = region.blocks.first.next_block is not None
    around = call.parent_op()
    return not several or isinstance(around, tt.FuncOp)


def _inline(call: tt.CallOp, callee: tt.FuncOp, *, move: bool) -> None:
    """Replace a call by the callee's body, moved or copied."""
    body = callee.regions[0] if move else clone_region(callee.regions[0], {})
    _relocate(body, call.location)
    entry = body.blocks.first
    assert entry is not None
    for argument, value in zip(tuple(entry.args), tuple(call.args_), strict=True):
        argument.replace_all_uses_with(value)
    if entry.next_block is None:
        _splice(call, entry)
    else:
        _split(call, body, entry)


def _relocate(body: Region, caller: LocationAttr) -> None:
    """Say of each operation that it was called from `caller`."""

    @cache
    def called(location: LocationAttr) -> LocationAttr:
        return locations.call_site(location, caller)

    for block in body.blocks:
        for op in block.walk():
            op.location = called(op.location)


def _splice(call: tt.CallOp, entry: Block) -> None:
    """Move a body of one block in front of the call."""
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


def _split(call: tt.CallOp, body: Region, entry: Block) -> None:
    """Split the caller's block at the call and put the callee's blocks in between."""
    before = call.parent
    assert before is not None
    region = before.parent
    assert region is not None
    after = before.split_before(call, arg_types=[result.type for result in call.results])
    for argument, result in zip(after.args, call.results, strict=True):
        argument.name_hint = result.name_hint
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
