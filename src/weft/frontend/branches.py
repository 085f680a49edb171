"""`if` and the conditional expression.

A constant condition picks its branch when compiling; the other one is not lowered at all, so it
may hold what makes no sense for these constants. For any other condition:

    if c:                           %x = scf.if %c -> (i32) {
        x = 1                         scf.yield %c1
    else:                    →      } else {
        x = 2                         scf.yield %c2
                                    }

A `return` cannot leave a region, so an `if` that holds one becomes blocks of the function:

    if c: return                      cf.cond_br %c, ^bb1, ^bb2
    rest                     →      ^bb1: tt.return
                                    ^bb2: rest

Names are merged in the order in which the function first bound them, then new ones by name.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from weft.errors import TypeMismatchError, UnsupportedError
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext, StatementTable
from weft.frontend.scope import Scope
from weft.frontend.semantics.values import TensorValue, describe, handles_of, type_of
from weft.frontend.statements import materialize
from weft.frontend.static_values import same, with_handles
from weft.ir import attributes, cf, scf
from weft.ir.builtin import Block, Region, SSAValue


def if_(context: FunctionContext, node: ast.If) -> None:
    """Lower an `if` statement."""
    condition = context.expression(node.test)
    if static_values.is_static(condition):
        context.statements(node.body if static_values.truth(condition) else node.orelse)
        return
    flag = condition_flag(context, node.test, condition)
    if context.definition.returns(node) and not context.region_depth:
        _if_of_blocks(context, node, flag)
    else:
        _if_of_regions(context, node, flag)


def condition_flag(context: FunctionContext, node: ast.expr, value: Any) -> SSAValue:
    """Return the i1 that decides a branch.

    Raises: UnsupportedError: the condition is a block.
    """
    if isinstance(value, TensorValue) and math.prod(value.shape) > 1:
        context.fail(
            node,
            "a condition is one value, and this is a block",
            error=UnsupportedError,
            found=describe(value),
            accepted=("a scalar", "a compile-time constant"),
            hint="choose per element with tl.where, or reduce the block first",
        )
    context.builder.location = context.definition.location(node)
    return context.emitter.truth(value)


def _if_of_regions(context: FunctionContext, node: ast.If, flag: SSAValue) -> None:
    outer = context.scope
    then_block, else_block = Block(), Block()
    then_scope, else_scope = outer.copy(), outer.copy()
    with context.inside(then_block, then_scope):
        context.statements(node.body)
    with context.inside(else_block, else_scope):
        context.statements(node.orelse)
    names = _merged_names(context, node, outer, then_scope, else_scope)
    then_values = _handles(then_scope, names)
    else_values = _handles(else_scope, names)
    builder = context.builder
    location = builder.location = context.definition.location(node)
    for block, values in ((then_block, then_values), (else_block, else_values)):
        builder.at_end(block)
        builder.create(scf.YieldOp, values, [])
    context.move_to(context.block)
    builder.location = location
    types = [value.type for value in then_values]
    # Even an empty one: the branches of a negated condition are swapped while both are there.
    regions = [Region(then_block), Region(else_block)]
    op = builder.create(scf.IfOp, [flag], types, regions=regions)
    _bind_results(outer, then_scope, names, op.results)


def _handles(scope: Scope, names: list[str]) -> list[SSAValue]:
    return [handle for name in names for handle in handles_of(scope.values[name])]


def _bind_results(outer: Scope, model: Scope, names: list[str], results: Any) -> None:
    remaining = iter(results)
    for name in names:
        outer.bind(name, with_handles(model.values[name], remaining))


def _merged_names(
    context: FunctionContext, node: ast.If, outer: Scope, one: Scope, other: Scope
) -> list[str]:
    """Return the names that differ after a branch, in order; take partly bound ones away.

    Raises: TypeMismatchError: a name has another type on each side.
    """
    names = []
    for name, before in outer.values.items():
        if name not in one.values or name not in other.values:
            continue
        after = one.values[name], other.values[name]
        if not (same(after[0], before) and same(after[1], before)):
            names.append(name)
    both = one.values.keys() & other.values.keys()
    names += sorted(both - outer.values.keys())
    for name in sorted((one.values.keys() | other.values.keys() | outer.values.keys()) - both):
        reason = one.lost.get(name) or other.lost.get(name)
        line = context.position(node).line
        outer.lose(name, reason or f"the if at line {line} gives it one on one side only")
    return [name for name in names if _merges(context, node, outer, name, one, other)]


def _merges(
    context: FunctionContext, node: ast.If, outer: Scope, name: str, one: Scope, other: Scope
) -> bool:
    """Tell whether a name needs SSA values to merge; a static one is bound on the spot."""
    left, right = one.values[name], other.values[name]
    if static_values.is_static(left) and static_values.is_static(right) and same(left, right):
        outer.bind(name, left)
        return False
    if static_values.is_static(left) or static_values.is_static(right):
        matching = False
    else:
        matching = type_of(left) == type_of(right)
    if not matching:
        context.fail(
            node,
            f"{name} has one type after the if and another where the condition is false",
            error=TypeMismatchError,
            found=f"{describe(left)} if true, {describe(right)} if false",
            accepted=("the same type on both sides",),
            hint=f"convert with {name}.to(...), or start {name} with the type it will have",
        )
    return True


def _if_of_blocks(context: FunctionContext, node: ast.If, flag: SSAValue) -> None:
    """Lower an `if` that returns somewhere into blocks of the function.

    What follows goes into a block behind all blocks of both sides, as in Triton, even where only
    one side reaches it: a later block never stands before an earlier one in the text.
    """
    outer, start, region = context.scope, context.block, context.block.parent
    location = context.builder.location
    assert region is not None
    then_block, else_block = Block(), Block()
    region.add_block(then_block)
    region.add_block(else_block)
    then_end = _side(context, node.body, then_block, outer.copy())
    else_end = _side(context, node.orelse, else_block, outer.copy())
    context.scope = outer
    context.builder.at_end(start)
    context.builder.location = location
    context.builder.create(
        cf.CondBranchOp,
        [flag],
        [],
        properties={"operandSegmentSizes": attributes.array_i32((1, 0, 0))},
        successors=[then_block, else_block],
    )
    if then_end is not None and else_end is not None:
        _merge_blocks(context, node, region, then_end, else_end)
    elif then_end is None and else_end is None:
        context.alive = False
    else:
        end = then_end or else_end
        assert end is not None
        after = Block()
        region.add_block(after)
        context.builder.at_end(end[0])
        context.builder.create(cf.BranchOp, successors=[after])
        context.scope = end[1]
        context.move_to(after)


def _side(
    context: FunctionContext, body: list[ast.stmt], block: Block, scope: Scope
) -> tuple[Block, Scope] | None:
    """Lower one side; return the block and the names at its end, None if it always returns."""
    context.scope = scope
    context.move_to(block)
    context.statements(body)
    end = (context.block, context.scope) if context.alive else None
    context.alive = True
    return end


def _merge_blocks(
    context: FunctionContext,
    node: ast.If,
    region: Region,
    one: tuple[Block, Scope],
    other: tuple[Block, Scope],
) -> None:
    """Go on in a block whose arguments are the names that differ between the sides."""
    outer = context.scope
    names = _merged_names(context, node, outer, one[1], other[1])
    merge = Block(arg_types=[value.type for value in _handles(one[1], names)])
    region.add_block(merge)
    for end, scope in (one, other):
        context.builder.at_end(end)
        context.builder.create(cf.BranchOp, _handles(scope, names), [], successors=[merge])
    _bind_results(outer, one[1], names, merge.args)
    context.move_to(merge)


def conditional(context: FunctionContext, node: ast.IfExp) -> Any:
    """Lower `a if c else b`.

    Raises: TypeMismatchError: the two values have different types.
    """
    condition = context.expression(node.test)
    if static_values.is_static(condition):
        return context.expression(node.body if static_values.truth(condition) else node.orelse)
    flag = condition_flag(context, node.test, condition)
    then_block, else_block = Block(), Block()
    then_value = _branch_value(context, node.body, then_block)
    else_value = _branch_value(context, node.orelse, else_block)
    if type_of(then_value) != type_of(else_value):
        context.fail(
            node,
            "the two values of a conditional expression have different types",
            error=TypeMismatchError,
            found=f"{describe(then_value)} if true, {describe(else_value)} if false",
            accepted=("the same type on both sides",),
            hint="convert one side with .to(...); choose per element with tl.where",
        )
    builder = context.builder
    handles = handles_of(then_value)
    for block, value in ((then_block, then_value), (else_block, else_value)):
        builder.at_end(block)
        builder.create(scf.YieldOp, handles_of(value), [])
    context.move_to(context.block)
    builder.location = context.definition.location(node, context.naming)
    op = builder.create(
        scf.IfOp,
        [flag],
        [handle.type for handle in handles],
        regions=[Region(then_block), Region(else_block)],
    )
    return with_handles(then_value, iter(op.results))


def _branch_value(context: FunctionContext, node: ast.expr, block: Block) -> Any:
    with context.inside(block, context.scope):
        return materialize(context, context.expression(node))


STATEMENTS: StatementTable = {ast.If: if_}
EXPRESSIONS: ExpressionTable = {ast.IfExp: conditional}
