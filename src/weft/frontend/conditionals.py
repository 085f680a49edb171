"""`if` statements and conditional expressions.

A constant condition selects a branch at compile time. The other branch is not lowered, so it may be
invalid for these constants. For a run-time condition:

    if c:                           %x = scf.if %c -> (i32) {
        x = 1                         scf.yield %c1
    else:                    →      } else {
        x = 2                         scf.yield %c2
                                    }

A `return` cannot leave a region, so an `if` that contains one becomes blocks of the function:

    if c: return                      cf.cond_br %c, ^bb1, ^bb2
    rest                     →      ^bb1: tt.return
                                    ^bb2: rest

The results are the names that the branches rebind, in the order of their first binding in the
function, followed by new names in alphabetical order.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

from weft.errors import TypeMismatchError, UnsupportedError, warn_deprecated
from weft.frontend import static_values
from weft.frontend.context import ExpressionTable, FunctionContext, StatementTable
from weft.frontend.scope import Scope
from weft.frontend.semantics.value_locations import location_of_end
from weft.frontend.semantics.values import TensorValue, Value, describe, handles_of, type_of
from weft.frontend.statements import materialize
from weft.frontend.static_values import is_same, with_handles
from weft.ir import attributes, cf, scf
from weft.ir.builtin import Block, Region, SSAValue


def if_(context: FunctionContext, node: ast.If) -> None:
    """Lower an `if` statement."""
    condition = context.expression(node.test)
    if static_values.is_static(condition):
        context.statements(node.body if static_values.is_true(condition) else node.orelse)
        return
    flag = condition_flag(context, node.test, _scalar(context, node.test, condition))
    if context.definition.returns(node) and not context.region_depth:
        _if_with_blocks(context, node, flag)
    else:
        _if_with_regions(context, node, flag)


def _scalar(context: FunctionContext, node: ast.expr, value: Value) -> Value:
    """Take the element of a condition that is a block of one element, with a warning."""
    if not isinstance(value, TensorValue) or not value.is_block or math.prod(value.shape) != 1:
        return value
    warn_deprecated(
        "If conditional called with multidimensional Tensor instead of scalar; please use "
        f'"if ({ast.unparse(node)}).item()" instead',
        context.position(node),
    )
    return context.emitter.unsplat(value)


def condition_flag(context: FunctionContext, node: ast.expr, value: Value) -> SSAValue:
    """Emit the i1 condition of a branch.

    Raises:
        UnsupportedError: The condition is a block.
    """
    if isinstance(value, TensorValue) and math.prod(value.shape) > 1:
        context.fail(
            node,
            "Boolean value of Tensor with more than one value is ambiguous",
            error=UnsupportedError,
            found=describe(value),
            accepted=("a scalar", "a compile-time constant"),
            hint="select elements with tl.where, or reduce the block first",
        )
    return context.emitter.truth(value)


def _if_with_regions(context: FunctionContext, node: ast.If, flag: SSAValue) -> None:
    outer, location = context.scope, context.builder.location
    then_block, else_block = Block(), Block()
    then_scope, else_scope = outer.copy(), outer.copy()
    with context.inside(then_block, then_scope):
        context.statements(node.body)
    with context.inside(else_block, else_scope):
        context.statements(node.orelse)
    names = _result_names(context, node, outer, then_scope, else_scope)
    then_values = _handles(then_scope, names)
    else_values = _handles(else_scope, names)
    builder = context.builder
    for block, values in ((then_block, then_values), (else_block, else_values)):
        if block is then_block:
            _name_results(context, names, values)
        builder.location = location_of_end(block, location) if names else location
        builder.at_end(block)
        terminator = builder.create(scf.YieldOp, values, [])
        if names:
            context.locations.copy_previous(terminator)
        if block is else_block:
            _name_results(context, names, values)
    context.move_to(context.block)
    builder.location = location
    types = [value.type for value in then_values]
    # An empty else region stays: canonicalization swaps the regions of a negated condition before
    # it removes empty ones.
    regions = [Region(then_block), Region(else_block)]
    op = builder.create(scf.IfOp, [flag], types, regions=regions)
    _bind_results(outer, then_scope, names, op.results)


def _name_results(context: FunctionContext, names: list[str], values: list[SSAValue]) -> None:
    """Add the names of an `if`'s results to the locations of a branch's values.

    As in Triton, the first name is that of the first SSA value, although the value of a name may
    consist of several.
    """
    for name, value in zip(names, values, strict=False):
        context.locations.name(name, [value])


def _handles(scope: Scope, names: list[str]) -> list[SSAValue]:
    return [handle for name in names for handle in handles_of(scope.values[name])]


def _bind_results(
    outer: Scope, branch: Scope, names: list[str], results: Iterable[SSAValue]
) -> None:
    """Bind the names to the results of the `if`, which have the types of a branch's values."""
    remaining = iter(results)
    for name in names:
        outer.bind(name, with_handles(branch.values[name], remaining))


def _result_names(
    context: FunctionContext, node: ast.If, outer: Scope, then_scope: Scope, else_scope: Scope
) -> list[str]:
    """List the names whose values differ after the branches; unbind those of one branch only.

    Raises:
        TypeMismatchError: The types of a name differ between the branches.
    """
    names: list[str] = []
    for name, before in outer.values.items():
        if name not in then_scope.values or name not in else_scope.values:
            continue
        then_value, else_value = then_scope.values[name], else_scope.values[name]
        if not (is_same(then_value, before) and is_same(else_value, before)):
            names.append(name)
    in_both = then_scope.values.keys() & else_scope.values.keys()
    names += sorted(in_both - outer.values.keys())
    in_any = then_scope.values.keys() | else_scope.values.keys() | outer.values.keys()
    for name in sorted(in_any - in_both):
        reason = then_scope.unbound.get(name) or else_scope.unbound.get(name)
        line = context.position(node).line
        outer.unbind(name, reason or f"only one branch of the if at line {line} assigns it")
    return [
        name for name in names if _needs_result(context, node, outer, name, then_scope, else_scope)
    ]


def _needs_result(
    context: FunctionContext,
    node: ast.If,
    outer: Scope,
    name: str,
    then_scope: Scope,
    else_scope: Scope,
) -> bool:
    """Check whether a name needs a result; bind it here if both branches have one constant."""
    then_value, else_value = then_scope.values[name], else_scope.values[name]
    is_static = static_values.is_static(then_value), static_values.is_static(else_value)
    if all(is_static) and is_same(then_value, else_value):
        outer.bind(name, then_value)
        return False
    if any(is_static) or type_of(then_value) != type_of(else_value):
        context.fail(
            node,
            f"Mismatched type for {name} between then block ({describe(then_value)}) and else "
            f"block ({describe(else_value)})",
            error=TypeMismatchError,
            found=f"{describe(then_value)} if true, {describe(else_value)} if false",
            accepted=("the same type in both blocks",),
            hint=f"convert with {name}.to(...), or initialize {name} with its final type",
        )
    return True


def _if_with_blocks(context: FunctionContext, node: ast.If, flag: SSAValue) -> None:
    """Lower an `if` that contains a return to blocks of the function.

    The statements after the `if` go to a new block after all blocks of both branches, as in Triton,
    even if only one branch reaches it.
    """
    outer, start, region = context.scope, context.block, context.block.parent
    assert region is not None
    then_block, else_block = Block(), Block()
    region.add_block(then_block)
    region.add_block(else_block)
    then_end = _lower_branch(context, node.body, then_block, outer.copy())
    else_end = _lower_branch(context, node.orelse, else_block, outer.copy())
    context.scope = outer
    context.builder.at_end(start)
    context.builder.location = location_of_end(start, context.function_location)
    branch = context.builder.create(
        cf.CondBranchOp,
        [flag],
        [],
        properties={"operandSegmentSizes": attributes.array_i32((1, 0, 0))},
        successors=[then_block, else_block],
    )
    context.locations.copy_previous(branch)
    if then_end is not None and else_end is not None:
        _merge_branches(context, node, region, then_end, else_end)
    elif then_end is None and else_end is None:
        context.is_reachable = False
    else:
        end = then_end or else_end
        assert end is not None
        after = Block()
        region.add_block(after)
        context.builder.at_end(end[0])
        context.builder.location = location_of_end(end[0], context.function_location)
        context.locations.copy_previous(context.builder.create(cf.BranchOp, successors=[after]))
        context.scope = end[1]
        context.move_to(after)


def _lower_branch(
    context: FunctionContext, body: list[ast.stmt], block: Block, scope: Scope
) -> tuple[Block, Scope] | None:
    """Lower a branch; return the block and scope at its end, or None if it always returns."""
    context.scope = scope
    context.move_to(block)
    context.statements(body)
    end = (context.block, context.scope) if context.is_reachable else None
    context.is_reachable = True
    return end


def _merge_branches(
    context: FunctionContext,
    node: ast.If,
    region: Region,
    then_end: tuple[Block, Scope],
    else_end: tuple[Block, Scope],
) -> None:
    """Continue in a block whose arguments are the names that differ between the branches."""
    outer = context.scope
    names = _result_names(context, node, outer, then_end[1], else_end[1])
    merge = Block(arg_types=[value.type for value in _handles(then_end[1], names)])
    region.add_block(merge)
    for block, scope in (then_end, else_end):
        context.builder.at_end(block)
        context.builder.location = location_of_end(block, context.function_location)
        handles = _handles(scope, names)
        branch = context.builder.create(cf.BranchOp, handles, [], successors=[merge])
        context.locations.copy_previous(branch)
    _bind_results(outer, then_end[1], names, merge.args)
    context.move_to(merge)


def conditional(context: FunctionContext, node: ast.IfExp) -> Value:
    """Lower `a if c else b`.

    Raises:
        TypeMismatchError: The types of the two values differ.
    """
    condition = context.expression(node.test)
    if static_values.is_static(condition):
        return context.expression(node.body if static_values.is_true(condition) else node.orelse)
    flag = condition_flag(context, node.test, condition)
    location = context.builder.location
    then_block, else_block = Block(), Block()
    then_value = _branch_value(context, node.body, then_block)
    else_value = _branch_value(context, node.orelse, else_block)
    if type_of(then_value) != type_of(else_value):
        context.fail(
            node,
            "Ternary expression with dynamic condition has inconsistent types "
            f"{describe(then_value)} and {describe(else_value)}",
            error=TypeMismatchError,
            found=f"{describe(then_value)} if true, {describe(else_value)} if false",
            accepted=("the same type in both cases",),
            hint="convert one value with .to(...); select elements with tl.where",
        )
    builder = context.builder
    handles = handles_of(then_value)
    for block, value in ((then_block, then_value), (else_block, else_value)):
        builder.at_end(block)
        builder.location = location_of_end(block, location)
        context.locations.copy_previous(builder.create(scf.YieldOp, handles_of(value), []))
    context.move_to(context.block)
    builder.location = location
    op = builder.create(
        scf.IfOp,
        [flag],
        [handle.type for handle in handles],
        regions=[Region(then_block), Region(else_block)],
    )
    return with_handles(then_value, iter(op.results))


def _branch_value(context: FunctionContext, node: ast.expr, block: Block) -> Value:
    with context.inside(block, context.scope):
        return materialize(context, context.expression(node))


STATEMENTS: StatementTable = {ast.If: if_}
EXPRESSIONS: ExpressionTable = {ast.IfExp: conditional}
