"""Share operations among the consumers: each gets its own, of a part of the elements.

    %a = ttg.local_alloc %x {1, 2}   →   %a1 = ttg.local_alloc %x1 {1}   %a2 = … %x2           {2}
    %d = dot %a, %b, %c     {1, 2}       %d1 = dot %a1, %b, %c1    {1}   %d2 = dot %a2, %b, %c2 {2}

Loops get one iter_arg per consumer. The producer's loads are split as well. The original operations
are erased once nothing uses them. Source: Triton, WSDataPartition.cpp.
"""

from __future__ import annotations

from weft.ir import arith, attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import clone, set_type, walk, walk_inner_first
from weft.passes.nvidia.warp_specialization.partition_scheme import (
    WHOLE,
    PartitionScheme,
    block_shape,
    choose_scheme,
)
from weft.passes.nvidia.warp_specialization.task_ids import (
    TaskBuilder,
    add_tasks,
    set_tasks,
    tasks_of,
)
from weft.passes.ttgir.remove_layout_conversions.cleanup import drop_dead_iter_args

__all__ = ["share_among_consumers"]


def share_among_consumers(function: tt.FuncOp, consumers: int) -> bool:
    """Share the dots of a function among its consumers, with all that goes with them.

    Returns:
        False if several consumers cannot share them; the function is unchanged then.
    """
    scheme = choose_scheme(function)
    if scheme is None:
        return consumers <= 1
    _separate_duplicates(scheme)
    for part in range(scheme.parts):
        slicing = _Slicing(scheme, part)
        for op in list(scheme.dims):
            slicing.slice_op(op)
        for op in slicing.replaced:
            del scheme.dims[op]
            op.detach()
            op.erase(safe_erase=False)
    _erase_originals(function, scheme)
    _complete_tasks(function)
    return True


def _separate_duplicates(scheme: PartitionScheme) -> None:
    """Give each user of a duplicated operation the one for its dimension."""
    for op, dims in scheme.duplicates.items():
        for dim in list(dims)[1:]:
            builder = TaskBuilder(tasks_of(op)).before(op)
            if isinstance(op, ttg.LocalAllocOp):
                memory = op.result.type
                assert isinstance(memory, ttg.MemDescType)
                view = _slice_type(memory, dim, scheme.parts)
                offsets = attributes.array_i32((0,) * len(memory.shape))
                duplicate: Operation = builder.create(
                    ttg.MemDescSubsliceOp, [op.result], [view], {"offsets": offsets}
                )
            else:
                duplicate = clone(op, {})
                builder.insert(duplicate)
            scheme.dims[duplicate] = dim
            for use in list(op.results[0].uses):
                if _operand_dim(scheme, use.operation) == dim:
                    use.operation.operands[use.index] = duplicate.results[0]


def _operand_dim(scheme: PartitionScheme, user: Operation) -> int | None:
    dim = scheme.dims[user]
    if dim is None or dim == WHOLE:
        return dim
    if isinstance(user, tt.TransOp | ttg.MemDescTransOp):
        return attributes.array_values(user.properties["order"])[dim]
    if isinstance(user, ttng.WarpGroupDotOp) and scheme.dot_operands[user] != dim:
        return WHOLE
    return dim


def _slice_type(type_: Attribute, dim: int, parts: int) -> Attribute:
    """Compute the type of one part of a tensor, a buffer or a descriptor."""
    shape = block_shape(type_)
    if dim == WHOLE or not shape:
        return type_
    shape = (*shape[:dim], shape[dim] // parts, *shape[dim + 1 :])
    if isinstance(type_, ttg.MemDescType):
        assert type_.encoding is not None
        return ttg.MemDescType.of(
            shape, type_.element_type, type_.encoding, type_.memory_space, mutable=type_.is_mutable
        )
    if isinstance(type_, types.TensorDescType):
        return types.descriptor(types.with_shape(type_.block_type, shape))
    return types.with_shape(type_, shape)


class _Slicing:
    """The operations and values of one consumer.

    Attributes:
        replaced: Loops that were replaced by loops with more iter_args.
    """

    def __init__(self, scheme: PartitionScheme, part: int) -> None:
        self.replaced: list[Operation] = []
        self._scheme = scheme
        self._part = part
        self._ops: dict[Operation, Operation] = {}
        self._new_ops: set[Operation] = set()
        self._values: dict[SSAValue, SSAValue] = {}

    def slice_op(self, op: Operation) -> None:
        """Create the part of an operation, after those of its operands."""
        if op not in self._scheme.dims or op in self._ops or op in self._new_ops:
            return
        if isinstance(op, scf.YieldOp):
            self._slice_yield(op)
            self._map_op(op, op)
        elif isinstance(op, scf.ForOp):
            self._map_op(op, self._slice_loop(op))
        else:
            self._map_op(op, self._slice_plain(op))

    def _map_op(self, op: Operation, new_op: Operation) -> None:
        self._ops[op] = new_op
        self._new_ops.add(new_op)

    def _slice_value(self, value: SSAValue) -> None:
        owner = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
        assert isinstance(owner, Operation)
        self.slice_op(owner)

    def _tasks(self, op: Operation) -> tuple[int, ...]:
        """Choose the tasks of a part: the producer's, this consumer's, or both."""
        tasks = tasks_of(op)
        if len(tasks) == self._scheme.parts:
            return (tasks[self._part],)
        if len(tasks) <= 1:
            return tasks
        return (tasks[0], tasks[self._part + 1])

    # ------------------------------------------------------------------- operations without regions

    def _slice_plain(self, op: Operation) -> Operation:
        scheme, dim = self._scheme, self._scheme.dims[op]
        assert dim is not None
        if dim != WHOLE:
            if isinstance(op, arith.ConstantOp):
                return self._slice_constant(op, dim)
            if isinstance(op, tt.MakeRangeOp):
                return self._slice_range(op)
            if isinstance(op, tt.DescriptorLoadOp | tt.DescriptorStoreOp):
                self._slice_value(op.desc)
                index = self._shifted_index(op, op.indices[dim], dim)
                new_op = self._clone(op, dim)
                # The indices are the last operands.
                new_op.operands[len(op.operands) - len(op.indices) + dim] = index
                return new_op
            if isinstance(op, tt.MakeTensorDescOp | ttng.ReinterpretTensorDescOp):
                return self._clone(op, dim)
        if isinstance(op, ttng.WarpGroupDotOp) and dim != WHOLE:
            operand = scheme.dot_operands[op]
            self._slice_value(op.operands[operand])
            if operand != dim:
                self._slice_value(op.operands[1 - operand])
                self._slice_value(op.c)
                return self._clone(op, WHOLE)
            self._slice_value(op.c)
            return self._clone(op, dim)
        for operand in op.operands:
            self._slice_value(operand)
        new_op = self._clone(op, dim)
        if isinstance(op, tt.ReduceOp):
            for inner in walk(new_op):
                set_tasks(inner, self._tasks(op))
        return new_op

    def _clone(self, op: Operation, dim: int) -> Operation:
        new_op = clone(op, dict(self._values))
        TaskBuilder().before(op).insert(new_op)
        set_tasks(new_op, self._tasks(op))
        for result, new_result in zip(op.results, new_op.results, strict=True):
            set_type(new_result, _slice_type(result.type, dim, self._scheme.parts))
            self._values[result] = new_result
        return new_op

    def _slice_constant(self, op: arith.ConstantOp, dim: int) -> Operation:
        type_ = _slice_type(op.results[0].type, dim, self._scheme.parts)
        # Equal constants of other tasks may be merged with it later, so it keeps all tasks.
        builder = TaskBuilder(tasks_of(op)).before(op)
        whole = op.properties["value"]
        assert isinstance(whole, attributes.SplatAttr), "a tensor of different constants"
        splat = attributes.splat(whole.value, type_)
        new_op = builder.create(arith.ConstantOp, (), [type_], {"value": splat})
        self._values[op.results[0]] = new_op.results[0]
        return new_op

    def _slice_range(self, op: tt.MakeRangeOp) -> Operation:
        start = op.start.value.data
        size = (op.end.value.data - start) // self._scheme.parts
        start += self._part * size
        properties = {
            "start": attributes.integer(start, types.i32),
            "end": attributes.integer(start + size, types.i32),
        }
        type_ = types.with_shape(op.results[0].type, (size,))
        builder = TaskBuilder(self._tasks(op)).before(op)
        new_op = builder.create(tt.MakeRangeOp, (), [type_], properties)
        self._values[op.results[0]] = new_op.results[0]
        return new_op

    def _shifted_index(
        self, op: tt.DescriptorLoadOp | tt.DescriptorStoreOp, index: SSAValue, dim: int
    ) -> SSAValue:
        """Compute the index of this consumer's part of a tile.

        Only the descriptor operation may use it: ranges that the index is added to are divided
        themselves.
        """
        if not self._part:
            return index
        tile = op.src.type if isinstance(op, tt.DescriptorStoreOp) else op.result.type
        offset = self._part * block_shape(tile)[dim] // self._scheme.parts
        builder = TaskBuilder(self._tasks(op))
        if isinstance(index, OpResult):
            builder.after(index.op)
        else:
            assert isinstance(index, BlockArgument)
            builder.at_start(index.block)
        builder.location = op.location
        constant = builder.constant(offset, types.i32)
        return builder.value(arith.AddIOp, [index, constant], types.i32)

    # ------------------------------------------------------------------------------- control flow

    def _slice_yield(self, op: scf.YieldOp) -> None:
        added: list[SSAValue] = []
        for operand in list(op.operands):
            self._slice_value(operand)
            if operand in self._values:
                added.append(self._values[operand])
        op.operands = [*op.operands, *added]

    def _slice_loop(self, op: scf.ForOp) -> Operation:
        """Replace a loop by one with an iter_arg more for each that is shared."""
        inits = list(op.init_args)
        body = op.block
        positions: dict[int, int] = {}
        for index, init in enumerate(tuple(inits)):
            self._slice_value(init)
            if init in self._values:
                positions[index] = len(inits)
                inits.append(self._values[init])
                argument = body.insert_arg(self._values[init].type, len(body.args))
                argument.location = op.location
        builder = TaskBuilder().before(op)
        region = op.detach_region(op.regions[0])
        new_op = builder.create(
            scf.ForOp,
            [*op.bounds, *inits],
            [init.type for init in inits],
            op.properties,
            op.attributes,
            [region],
        )
        self._scheme.dims.setdefault(new_op, None)
        for result, new_result in zip(op.results, new_op.results, strict=False):
            result.replace_all_uses_with(new_result)
        self.replaced.append(op)
        for index, position in positions.items():
            self._values[new_op.results[index]] = new_op.results[position]
            self._values[body.args[index + 1]] = body.args[position + 1]
        return new_op


def _erase_originals(function: tt.FuncOp, scheme: PartitionScheme) -> None:
    """Erase operations of which there are parts now, as soon as nothing uses them."""
    while True:
        unused = [
            op
            for op in walk_inner_first(function)
            if op in scheme.dims
            and not isinstance(op, scf.YieldOp)
            and not any(result.uses for result in op.results)
        ]
        if not unused:
            return
        for op in unused:
            del scheme.dims[op]
            op.detach()
            op.erase()
        drop_dead_iter_args(function)


def _complete_tasks(function: tt.FuncOp) -> None:
    """Extend the tasks of numbers to their users' tasks, and of yields to their values' tasks."""
    changed = True
    while changed:
        changed = False
        for op in walk_inner_first(function):
            tasks = set(tasks_of(op))
            for operand in op.operands:
                source = operand.owner
                if isinstance(source, Block) or isinstance(source, tt.LoadOp | tt.DescriptorLoadOp):
                    continue
                changed |= _complete(op, tasks, operand, source)


def _complete(op: Operation, own: set[int], operand: SSAValue, source: Operation) -> bool:
    """Complete the tasks of one operand's source, and of its user; return whether any changed.

    Args:
        op: The user.
        own: The tasks of the user before any of its operands was visited.
        operand: The operand.
        source: The operation that defines it.
    """
    changed = False
    of_source = set(tasks_of(source))
    if not own <= of_source:
        if isinstance(op, scf.YieldOp | scf.ForOp | scf.IfOp):
            return False
        if source.name.startswith("arith."):
            add_tasks(source, own)
            changed = True
    is_only_use = len(list(operand.uses)) == 1
    if is_only_use and not of_source <= own and isinstance(op, scf.YieldOp | scf.IfOp):
        add_tasks(op, of_source)
        changed = True
    return changed
