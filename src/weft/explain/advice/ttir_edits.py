"""Edits of the TTIR: the order of operands, hints on values, the precision of dots.

`tl.trans(y) + x` instead of `x + tl.trans(y)`     operands, and the order of their computation
offs = tl.max_contiguous(tl.multiple_of(offs, 16), 16)
tl.dot(a, b, input_precision="tf32")

An edit names its operation by its number in the module, so that it applies to each copy of it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from xdsl.dialects.builtin import TensorType
from xdsl.traits import Commutative

from weft.errors import Location
from weft.explain.advice.model import Edit
from weft.explain.advice.workbench import ModuleEdit, Variant
from weft.explain.source_lines import kernel_line
from weft.ir import arith, attributes, locations, scf, tt, types
from weft.ir.builtin import Block, ModuleOp, Operation, SSAValue
from weft.ir.enums import InputPrecision
from weft.ir.interfaces.memory_effects import is_memory_effect_free
from weft.ir.rewriting import defining_op, move_before, walk

__all__ = ["hint_edits", "operand_order_edits", "precision_edits"]

_ALIGNMENT = 16
_BINARY = 2
_MOST_SWAPS = 4


def operand_order_edits(module: ModuleOp, lines: Iterable[int]) -> Iterator[Edit]:
    """Yield swaps of the operands of commutative operations on data, those on some lines first.

    Python computes the left operand first, and passes decide in the order of the IR. So a swap of
    two expressions also swaps the order in which they are computed.
    """
    on_lines = frozenset(lines)
    swappable = [(number, op) for number, op in enumerate(walk(module)) if _is_swappable(op)]
    swappable.sort(key=lambda pair: _line(pair[1]) not in on_lines)
    for number, op in swappable[:_MOST_SWAPS]:
        left, right = _operand_texts(op)
        text = f"`{right} {_symbol(op)} {left}` instead of `{left} {_symbol(op)} {right}`"
        if not (_is_call(left) and _is_call(right)):
            yield _module_edit("operand order", text, f"swap {number}", _swap(number))
            text += f", and compute `{right}` before `{left}`"
        yield _module_edit("operand order", text, f"reorder {number}", _swap(number, reorder=True))


def _is_swappable(op: Operation) -> bool:
    return (
        len(op.operands) == _BINARY
        and op.has_trait(Commutative)
        and types.is_tensor(op.results[0].type)
        and op.operands[0] is not op.operands[1]
        and all(_is_data(each) for each in op.operands)
    )


def _is_data(value: SSAValue) -> bool:
    """Check whether a value is computed from memory or carried by a loop."""
    return any(
        isinstance(each.owner.parent_op(), scf.ForOp)
        if isinstance(each.owner, Block)
        else bool(each.owner.regions) or isinstance(each.owner, tt.LoadOp | tt.DescriptorLoadOp)
        for each in _sources(value)
    )


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """Yield a value and all values that it is computed from, each once."""
    seen, stack = set[SSAValue](), [value]
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        yield each
        op = defining_op(each)
        if op is not None and not op.regions:
            stack += op.operands


def _swap(number: int, *, reorder: bool = False) -> ModuleEdit:
    def edit(module: ModuleOp) -> None:
        op = _operation(module, number)
        left, right = op.operands
        op.operands = [right, left]
        if reorder:
            _compute_last(left, op)

    return edit


def _compute_last(value: SSAValue, user: Operation) -> None:
    """Move what only computes a value to before its user, as far as no write lies in between."""
    root, moving, order = defining_op(value), {user}, list[Operation]()
    op = user.prev_op
    while op is not None:
        users = {use.operation for result in op.results for use in result.uses}
        computes_value = op is root if user in users else bool(users)
        if computes_value and users <= moving and _can_move(op, user):
            moving.add(op)
            order.append(op)
        op = op.prev_op
    for each in reversed(order):
        move_before(each, user)


def _can_move(op: Operation, user: Operation) -> bool:
    """Check whether an operation may run right before a user: it reads nothing that is written."""
    if is_memory_effect_free(op):
        return True
    if not isinstance(op, tt.LoadOp):
        return False
    following = op.next_op
    while following is not None and following is not user:
        if not (is_memory_effect_free(following) or isinstance(following, tt.LoadOp)):
            return False
        following = following.next_op
    return following is user


def hint_edits(module: ModuleOp, lines: Iterable[int]) -> Iterator[Edit]:
    """Yield hints on the named integers that addresses or masks of some lines are computed from.

    A hint on an argument has no effect; a promise about the argument has.
    """
    selected_lines = frozenset(lines)
    hinted: dict[Operation, str] = {}
    for op in walk(module):
        if isinstance(op, tt.LoadOp | tt.StoreOp) and _line(op) in selected_lines:
            mask = () if op.mask is None else (op.mask,)
            for address in (op.ptr, *mask):
                _find_unknown_integers(address, hinted)
    numbers = {op: number for number, op in enumerate(walk(module))}
    for op, name in hinted.items():
        value = op.results[0]
        hint = f"{name} = tl.multiple_of({name}, {_ALIGNMENT})"
        names = ("tt.divisibility",)
        if types.is_tensor(value.type):
            hint = f"{name} = tl.max_contiguous(tl.multiple_of({name}, {_ALIGNMENT}), {_ALIGNMENT})"
            names = ("tt.divisibility", "tt.contiguity")
        number = numbers[op]
        text = f"`{hint}`, if this is true of its values"
        yield _module_edit("hint", text, f"hint {number}", _set_hints(number, names))


def _find_unknown_integers(value: SSAValue, hinted: dict[Operation, str]) -> None:
    """Collect the named integers of rank 0 or 1 that are loaded, divided or selected."""
    for each in _sources(value):
        op = defining_op(each)
        if not isinstance(op, _UNKNOWN) or not types.is_integer(types.element(each.type)):
            continue
        rank = len(types.shape(each.type)) if types.is_tensor(each.type) else 0
        if rank <= 1 and (name := _name(op)):
            hinted.setdefault(op, name)


_UNKNOWN = (
    tt.LoadOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.SelectOp,
    arith.MinSIOp,
)


def _set_hints(number: int, names: tuple[str, ...]) -> ModuleEdit:
    alignment = attributes.integer(_ALIGNMENT, types.i32)
    hint = attributes.splat(alignment, TensorType(types.i32, [1]))  # pyright: ignore

    def edit(module: ModuleOp) -> None:
        op = _operation(module, number)
        for name in names:
            op.attributes[name] = hint

    return edit


def precision_edits(
    module: ModuleOp, lines: Iterable[int], accepted: Iterable[str]
) -> Iterator[Edit]:
    """Yield tf32 for the dots of fp32 operands on some lines, where a target has it."""
    if "tf32" not in accepted:
        return
    selected_lines = frozenset(lines)
    for number, op in enumerate(walk(module)):
        if isinstance(op, tt.DotOp) and _line(op) in selected_lines:
            if types.element(op.a.type) == types.f32:
                text = '`input_precision="tf32"`, which rounds operands to 10 bits of mantissa'
                yield _module_edit("precision", text, f"tf32 {number}", _use_tf32(number))


def _use_tf32(number: int) -> ModuleEdit:
    def edit(module: ModuleOp) -> None:
        _operation(module, number).properties["inputPrecision"] = InputPrecision.TF32.attr()

    return edit


def _module_edit(kind: str, text: str, key: str, change: ModuleEdit) -> Edit:
    def apply(variant: Variant) -> Variant:
        return replace(variant, edits=(*variant.edits, (key, change)))

    return Edit(kind, text, apply)


def _operation(module: ModuleOp, number: int) -> Operation:
    return next(op for index, op in enumerate(walk(module)) if index == number)


def _line(op: Operation) -> int | None:
    location = kernel_line(op)
    return None if location is None else location.line


def _name(op: Operation) -> str:
    location = op.location
    return str(location.desc.data) if isinstance(location, locations.NameLoc) else ""


_SYMBOLS = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_OPERATORS = {
    "+": ast.Add,
    "*": ast.Mult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
}


def _symbol(op: Operation) -> str:
    name = op.name.partition(".")[2]
    return next((sign for prefix, sign in _SYMBOLS.items() if name.startswith(prefix)), name)


def _operand_texts(op: Operation) -> tuple[str, str]:
    """Find the expressions of the operands in the source, else name the operands."""
    position = locations.position(op.location)
    expression = None if position is None else _binary_expression(position, _symbol(op))
    if expression is not None:
        return ast.unparse(expression.left), ast.unparse(expression.right)
    left, right = map(defining_op, op.operands)
    return (left and _name(left)) or "the left operand", (right and _name(right)) or "the right one"


def _binary_expression(position: Location, symbol: str) -> ast.BinOp | None:
    """Find the expression whose operation has a position, which is that of its right operand."""
    operator = _OPERATORS.get(symbol)
    if operator is None:
        return None
    matches = [
        node
        for node in _expressions(position.file)
        if node.right.lineno == position.line
        and node.right.col_offset + 1 == position.column
        and isinstance(node.op, operator)
    ]
    return matches[0] if len(matches) == 1 else None


@lru_cache(maxsize=8)
def _expressions(file: str) -> tuple[ast.BinOp, ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.BinOp))


def _is_call(text: str) -> bool:
    return "(" in text
