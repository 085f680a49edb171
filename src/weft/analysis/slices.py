"""Slices: what an operation is computed from, and what is computed from it.

    %a = …          backward_slice(%c)     [%a, %b]           each after its operands
    %b = f %a       forward_slice(%b)      [%c, %d]           each before its users
    %c = g %b, %a   connected_slice(%b)    [%a, %b, %c, %d]   both, repeatedly, in program order
    %d = h %c

The body of a loop belongs to the loop: backwards, a block argument of its body leads to the loop;
forwards, the loop leads to all operations in its body. A backward slice ends at block arguments of
operations with several regions or blocks, such as conditionals, and of functions.

The traversals use explicit stacks, because kernels can be thousands of operations deep. The results
are in the order of MLIR's slices (Analysis/SliceAnalysis.h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from xdsl.traits import IsolatedFromAbove

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue

__all__ = ["backward_slice", "connected_slice", "forward_slice", "program_order", "slices_among"]

Filter = Callable[[Operation], bool]
Successors = Callable[[Operation], Iterator[Operation]]


def backward_slice(
    root: Operation | SSAValue,
    *,
    keep: Filter | None = None,
    inclusive: bool = False,
    omit_block_arguments: bool = False,
    omit_uses_from_above: bool = True,
) -> list[Operation]:
    """Collect the operations that a root is computed from, each after those that it reads.

    Args:
        root: An operation or a value.
        keep: A filter; an operation that it rejects is left out, with what only it depends on.
        inclusive: Whether the slice contains the root: the operation that defines a root value,
            or that a root argument belongs to.
        omit_block_arguments: Whether the slice ends at all block arguments, those of loops too.
        omit_uses_from_above: Whether values that regions use from outside are left out.
    """

    def sources(op: Operation) -> Iterator[Operation]:
        if not omit_uses_from_above:
            for value in _uses_from_above(op):
                yield from _origin(value, omit_block_arguments)
        for value in op.operands:
            yield from _origin(value, omit_block_arguments)

    start = _owner(root)
    slice_ = [] if start is None else _postorder([start], sources, keep)
    return slice_ if inclusive else [op for op in slice_ if op is not start]


def forward_slice(
    root: Operation | SSAValue, *, keep: Filter | None = None, inclusive: bool = False
) -> list[Operation]:
    """Collect the operations that are computed from a root, each before its users.

    Args:
        root: An operation or a value.
        keep: A filter; an operation that it rejects is left out, with what only it leads to.
        inclusive: Whether the slice contains a root that is an operation.
    """
    if isinstance(root, Operation):
        slice_ = _postorder([root], _targets, keep)
        slice_ = slice_ if inclusive else [op for op in slice_ if op is not root]
    else:
        slice_ = _postorder([use.operation for use in root.uses], _targets, keep)
    return slice_[::-1]


def connected_slice(root: Operation, *, keep: Filter | None = None) -> list[Operation]:
    """Collect all operations connected to a root by operands, results and loops."""
    slice_ = {root}
    worklist = [root]
    while worklist:
        op = worklist.pop()
        for other in (*_targets(op), *_sources(op)):
            if other not in slice_ and (keep is None or keep(other)):
                slice_.add(other)
                worklist.append(other)
    return program_order(slice_)


def program_order(ops: Iterable[Operation]) -> list[Operation]:
    """Sort operations by their order in the text of the module."""
    unordered = set(ops)
    if len(unordered) < 2:
        return list(unordered)
    top = next(iter(unordered))
    while (parent := top.parent_op()) is not None:
        top = parent
    return [op for op in top.walk() if op in unordered]


def slices_among(function: Operation, ops: Sequence[Operation]) -> list[list[Operation]]:
    """Compute the `connected_slice` of each of some operations, restricted to these operations.

    A union-find over the whole function computes all of them in one walk. Operations that lead to
    each other are one component. A loop leads to its body, but not always back; these
    edges between components are followed afterwards.

    Args:
        function: The function with the operations.
        ops: The operations.

    Returns:
        One slice per operation, in the order of `ops`.
    """
    positions: dict[Operation, int] = {op: index for index, op in enumerate(function.walk())}
    components = _Components(list(range(len(positions))))
    for op, position in positions.items():
        parent = op.parent_op() if position else None
        leads_to_parent = parent is None
        for value in op.operands:
            for other in _origin(value, False):
                components.merge(position, positions[other])
                leads_to_parent = leads_to_parent or other is parent
        if parent is not None and not leads_to_parent:
            components.edges.append((positions[parent], position))
    component_of = [components.find(positions[op]) for op in ops]
    members: dict[int, list[int]] = {}
    for index, component in enumerate(component_of):
        members.setdefault(component, []).append(index)
    slices: dict[int, list[Operation]] = {}
    for component in members:
        reached = components.reachable_from(component)
        indices = [index for other in reached for index in members.get(other, ())]
        slices[component] = [ops[index] for index in sorted(indices)]
    return [slices[component] for component in component_of]


class _Components(Struct):
    """Sets of numbers that lead to each other, and edges between these sets.

    Attributes:
        parents: The union-find forest: the parent of each number, itself for a representative.
        edges: Pairs of numbers of which the first leads to the second.
    """

    parents: list[int]
    edges: list[tuple[int, int]] = field(default_factory=list)
    _targets: dict[int, set[int]] | None = None

    def find(self, number: int) -> int:
        """Find the representative of a number, halving the path to it."""
        parents = self.parents
        while (parent := parents[number]) != number:
            parents[number] = number = parents[parent]
        return number

    def merge(self, a: int, b: int) -> None:
        """Unite the components of two numbers."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parents[a] = b

    def reachable_from(self, component: int) -> set[int]:
        """Collect the components that edges from one lead to, itself included."""
        if self._targets is None:
            self._targets = {}
            for source, target in self.edges:
                self._targets.setdefault(self.find(source), set()).add(self.find(target))
        reached, worklist = {component}, [component]
        while worklist:
            for other in self._targets.get(worklist.pop(), ()):
                if other not in reached:
                    reached.add(other)
                    worklist.append(other)
        return reached


def _postorder(
    roots: list[Operation], successors: Successors, keep: Filter | None
) -> list[Operation]:
    """List what some roots lead to, each after its successors: an iterative depth-first search."""
    finished: dict[Operation, None] = {}
    entered: set[Operation] = set()
    for root in roots:
        if root in entered or (keep is not None and not keep(root)):
            continue
        entered.add(root)
        stack = [(root, successors(root))]
        while stack:
            op, remaining = stack[-1]
            for other in remaining:
                if other not in entered and (keep is None or keep(other)):
                    entered.add(other)
                    stack.append((other, successors(other)))
                    break
            else:
                finished[op] = None
                stack.pop()
    return list(finished)


def _owner(root: Operation | SSAValue) -> Operation | None:
    """Find the operation that defines a value, or whose block has it as argument."""
    if isinstance(root, Operation):
        return root
    if isinstance(root, OpResult):
        return root.op
    return root.block.parent_op() if isinstance(root, BlockArgument) else None


def _origin(value: SSAValue, omit_block_arguments: bool) -> Iterator[Operation]:
    """Yield the operation that defines a value, or the loop that has it as argument."""
    if type(value) is OpResult:
        yield value.op
    elif isinstance(value, BlockArgument) and not omit_block_arguments:
        parent = value.block.parent_op()
        if parent is not None and _defines_its_arguments(parent):
            yield parent


def _defines_its_arguments(op: Operation) -> bool:
    """Check whether block arguments can come from the operation only: it has one block."""
    has_one_block = len(op.regions) == 1 and len(op.regions[0].blocks) == 1
    return has_one_block and not op.has_trait(IsolatedFromAbove)


def _sources(op: Operation) -> Iterator[Operation]:
    for value in op.operands:
        yield from _origin(value, False)


def _targets(op: Operation) -> Iterator[Operation]:
    """Yield the operations in the regions of an operation, then the users of its results."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops
    for result in op.results:
        for use in result.uses:
            yield use.operation


def _uses_from_above(op: Operation) -> Iterator[SSAValue]:
    """Yield the values that the regions of an operation use, but do not define."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                for nested in inner.walk():
                    for value in nested.operands:
                        if not _is_defined_inside(value, op):
                            yield value


def _is_defined_inside(value: SSAValue, op: Operation) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = parent.parent if parent is not None else None
    return False
