"""What an operation is computed from, and what is computed from it, in the order of MLIR's slices.

    %a = …          backward_slice(%c) is [%a, %b]: operands come before what reads them
    %b = f %a       forward_slice(%b) is [%c, %d]: what reads comes after
    %c = g %b, %a   slice_around(%b) is [%a, %b, %c, %d]: both, again and again, in program order
    %d = h %c

A loop's body belongs to the loop: going back from a value that a loop carries leads to the loop,
and going forward from the loop to all in its body. Going back stops at conditionals and other
operations of several regions or blocks, whose arguments come from no one place, and at functions.

Walks keep stacks of their own: a kernel may be thousands of operations deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.traits import IsolatedFromAbove

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue

__all__ = ["backward_slice", "forward_slice", "program_order", "slice_around", "slices_among"]

Keep = Callable[[Operation], bool]
Next = Callable[[Operation], Iterator[Operation]]


def backward_slice(
    root: Operation | SSAValue,
    *,
    keep: Keep | None = None,
    inclusive: bool = False,
    omit_block_arguments: bool = False,
    omit_uses_from_above: bool = True,
) -> list[Operation]:
    """Return the operations that a root is computed from, each after those that it reads.

    Args: keep: an operation for which it is false is left out, and so is what only it reads.
    inclusive: whether the root (what makes a root value, or has it as argument) belongs to it.
    omit_block_arguments: stop at arguments of blocks, in place of going on from their loop.
    omit_uses_from_above: leave out what regions of an operation read from around it.
    """

    def sources(op: Operation) -> Iterator[Operation]:
        if not omit_uses_from_above:
            for value in _read_from_above(op):
                yield from _origin(value, omit_block_arguments)
        for value in op.operands:
            yield from _origin(value, omit_block_arguments)

    start = _maker(root)
    found = [] if start is None else _postorder([start], sources, keep)
    return found if inclusive else [op for op in found if op is not start]


def forward_slice(
    root: Operation | SSAValue, *, keep: Keep | None = None, inclusive: bool = False
) -> list[Operation]:
    """Return the operations that are computed from a root, each before those that read it.

    Args: keep: an operation for which it is false is left out, and so is what only it leads to.
    inclusive: whether a root that is an operation belongs to it.
    """
    if isinstance(root, Operation):
        found = _postorder([root], _targets, keep)
        found = found if inclusive else [op for op in found if op is not root]
    else:
        found = _postorder([use.operation for use in root.uses], _targets, keep)
    return found[::-1]


def slice_around(root: Operation, *, keep: Keep | None = None) -> list[Operation]:
    """Return all that is connected to an operation through operands, results and loops."""
    seen = {root}
    todo = [root]
    while todo:
        op = todo.pop()
        for other in (*_targets(op), *_sources(op)):
            if other not in seen and (keep is None or keep(other)):
                seen.add(other)
                todo.append(other)
    return program_order(seen)


def program_order(ops: Iterable[Operation]) -> list[Operation]:
    """Return operations in the order of the text; blocks in the order of their region."""
    wanted = set(ops)
    if len(wanted) < 2:
        return list(wanted)
    top = next(iter(wanted))
    while (parent := top.parent_op()) is not None:
        top = parent
    return [op for op in top.walk() if op in wanted]


def slices_among(function: Operation, wanted: Sequence[Operation]) -> list[list[Operation]]:
    """Return, for each wanted operation of a function, which of them are in its `slice_around`.

    All slices are found in one walk: what leads to each other is one part, and of the parts only
    who leads to whom is followed.
    """
    number: dict[int, int] = {}
    ops: list[Operation] = []
    for op in function.walk():
        number[id(op)] = len(ops)
        ops.append(op)
    parts = _Parts(list(range(len(ops))))
    for index, op in enumerate(ops):
        parent = op.parent_op() if index else None
        is_linked = parent is None
        for value in op.operands:
            for other in _origin(value, False):
                parts.merge(index, number[id(other)])
                is_linked = is_linked or other is parent
        if parent is not None and not is_linked:
            parts.led.append((number[id(parent)], index))
    members: dict[int, list[int]] = {}
    found_in = [parts.find(number[id(op)]) for op in wanted]
    for place, part in enumerate(found_in):
        members.setdefault(part, []).append(place)
    slices: dict[int, list[Operation]] = {}
    for part in members:
        places = [place for other in parts.reached(part) for place in members.get(other, ())]
        slices[part] = [wanted[place] for place in sorted(places)]
    return [slices[part] for part in found_in]


@dataclass(slots=True)
class _Parts:
    """Sets of numbers that lead to each other (union-find), and what each leads to besides."""

    leader: list[int]
    led: list[tuple[int, int]] = field(default_factory=list)
    _targets: dict[int, set[int]] | None = None

    def find(self, one: int) -> int:
        leader = self.leader
        while (above := leader[one]) != one:
            leader[one] = one = leader[above]
        return one

    def merge(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.leader[a] = b

    def reached(self, part: int) -> set[int]:
        """Return the parts that one leads to, itself among them."""
        if self._targets is None:
            self._targets = {}
            for a, b in self.led:
                self._targets.setdefault(self.find(a), set()).add(self.find(b))
        seen, todo = {part}, [part]
        while todo:
            for other in self._targets.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen


def _postorder(starts: list[Operation], following: Next, keep: Keep | None) -> list[Operation]:
    """Return what the starts lead to, each after all that it leads to itself."""
    done: dict[Operation, None] = {}
    entered: set[Operation] = set()
    for start in starts:
        if start in entered or (keep is not None and not keep(start)):
            continue
        entered.add(start)
        stack = [(start, following(start))]
        while stack:
            op, rest = stack[-1]
            for other in rest:
                if other not in entered and (keep is None or keep(other)):
                    entered.add(other)
                    stack.append((other, following(other)))
                    break
            else:
                done[op] = None
                stack.pop()
    return list(done)


def _maker(root: Operation | SSAValue) -> Operation | None:
    """Return an operation, what makes a result, or the operation around a block's argument."""
    if isinstance(root, Operation):
        return root
    if isinstance(root, OpResult):
        return root.op
    return root.block.parent_op() if isinstance(root, BlockArgument) else None


def _origin(value: SSAValue, omit_block_arguments: bool) -> Iterator[Operation]:
    """Yield what makes a value: its operation, or the loop whose argument it is."""
    if type(value) is OpResult:
        yield value.op
    elif isinstance(value, BlockArgument) and not omit_block_arguments:
        parent = value.block.parent_op()
        if parent is not None and _is_led_through(parent):
            yield parent


def _is_led_through(op: Operation) -> bool:
    """Tell whether an argument of an operation's block comes from that operation: a loop's."""
    is_one_block = len(op.regions) == 1 and len(op.regions[0].blocks) == 1
    return is_one_block and not op.has_trait(IsolatedFromAbove)


def _sources(op: Operation) -> Iterator[Operation]:
    for value in op.operands:
        yield from _origin(value, False)


def _targets(op: Operation) -> Iterator[Operation]:
    """Yield what stands in an operation, then what reads its results."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops
    for result in op.results:
        for use in result.uses:
            yield use.operation


def _read_from_above(op: Operation) -> Iterator[SSAValue]:
    """Yield what operations inside read that is made outside."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                for nested in inner.walk():
                    for value in nested.operands:
                        if not _is_inside(value, op):
                            yield value


def _is_inside(value: SSAValue, around: Operation) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is around:
            return True
        block = parent.parent if parent is not None else None
    return False
