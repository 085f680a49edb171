"""Choose the dimension along which consumers share each operation of a function.

    %a = ttg.local_alloc      dimension 0        both consumers take half of the rows
    %b = ttg.local_alloc      —                  both read all of it
    %d = dot %a, %b           dimension 0, operand 0

Each dot of several consumers is shared along its rows if every consumer has at least 64, else
along its columns if every consumer has at least 128. The choice is propagated from the dot's result
to what it is computed from and to what is computed from it. Where two dimensions meet in a constant
or a buffer, that is used whole, once for each. Source: Triton, WSDataPartition.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from math import inf

from weft.analysis.slices import backward_slice, forward_slice
from weft.ir import arith, scf, tt, ttg, ttng, types
from weft.ir.attributes import array_values
from weft.ir.builtin import Attribute, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import walk_inner_first
from weft.layouts.cga import shape_per_cta
from weft.passes.nvidia.warp_specialization.task_ids import tasks_of

__all__ = ["WHOLE", "PartitionScheme", "block_shape", "choose_scheme", "is_elementwise"]

WHOLE = -1  # an operation that each consumer executes for itself, on all elements
_ROWS, _COLUMNS = 0, 1
_MIN_SIZES = {_ROWS: 64, _COLUMNS: 128}

_CONTROL_FLOW = (tt.ReturnOp, tt.FuncOp, scf.YieldOp, scf.ForOp, scf.IfOp)
_TRANSPOSES = (tt.TransOp, ttg.MemDescTransOp)
# Operations whose operands are shared along the same dimension as their results.
_PASS_ON = (
    arith.ConstantOp,
    tt.AtomicRMWOp,
    tt.BroadcastOp,
    tt.DescriptorLoadOp,
    tt.ExpandDimsOp,
    tt.JoinOp,
    tt.LoadOp,
    tt.MakeRangeOp,
    tt.ReshapeOp,
    tt.SplatOp,
    tt.SplitOp,
    tt.TransOp,
    ttg.ConvertLayoutOp,
    ttg.LocalAllocOp,
    ttg.MemDescTransOp,
)
_ELEMENTWISE = frozenset(
    {
        "tt.addptr",
        "tt.bitcast",
        "tt.clampf",
        "tt.elementwise_inline_asm",
        "tt.extern_elementwise",
        "tt.fp_to_fp",
        "tt.int_to_ptr",
        "tt.mulhiui",
        "tt.precise_divf",
        "tt.precise_sqrt",
        "tt.ptr_to_int",
    }
)


def is_elementwise(op: Operation) -> bool:
    """Check whether an element of the results depends on the same element of the operands."""
    if op.name in _ELEMENTWISE:
        return True
    return op.name.startswith(("arith.", "math.")) and not isinstance(op, arith.ConstantOp)


def block_shape(type_: Attribute) -> tuple[int, ...]:
    """Get the shape of a tensor, a buffer, or the block of a descriptor; () for a number."""
    if isinstance(type_, ttg.MemDescType):
        return tuple(type_.shape)
    if isinstance(type_, types.TensorDescType):
        return types.shape(type_.block_type)
    return types.shape(type_) if types.is_tensor(type_) else ()


class PartitionScheme:
    """How the consumers share operations.

    Attributes:
        parts: The number of consumers, 0 before the first dot.
        dims: The dimension of each operation that is shared, in the order of discovery; None for
            control flow, of which only values are shared.
        dot_operands: For each dot, which operand is shared along its dimension.
        duplicates: The dimensions of operations that are used once for each of several.
        skipped: Operations that are not shared because what uses them is duplicated.
    """

    def __init__(self) -> None:
        self.parts = 0
        self.dims: dict[Operation, int | None] = {}
        self.dot_operands: dict[Operation, int] = {}
        self.duplicates: dict[Operation, dict[int, None]] = {}
        self.skipped: set[Operation] = set()

    def copy(self) -> PartitionScheme:
        """Copy the scheme, to try a choice."""
        other = PartitionScheme()
        other.parts = self.parts
        other.dims, other.dot_operands = copy(self.dims), copy(self.dot_operands)
        other.duplicates = {op: copy(dims) for op, dims in self.duplicates.items()}
        other.skipped = copy(self.skipped)
        return other

    def add_all(self, other: PartitionScheme) -> None:
        """Add the choices of another scheme; those that are here stay."""
        for op, dim in other.dims.items():
            if self.dims.get(op) is None:
                self.dims[op] = dim
        self.dot_operands = other.dot_operands | self.dot_operands
        self.duplicates = other.duplicates | self.duplicates
        self.skipped |= other.skipped

    def is_shared(self, value: SSAValue, dim: int) -> bool:
        """Check whether a value has more elements along a dimension than there are consumers."""
        if dim == WHOLE:
            return True
        shape = block_shape(value.type)
        return len(shape) > dim and shape[dim] > self.parts

    # ----------------------------------------------------------------------------------- backward

    def add_sources(self, value: SSAValue, dim: int) -> bool:
        """Add what a value is computed from; return whether all of it can be shared."""
        if not self.is_shared(value, dim):
            return True
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp) or value.index == 0:
                return True
            init, update = loop.init_args[value.index - 1], loop.yielded_values[value.index - 1]
            return self.add_sources(init, dim) and self.add_sources(update, dim)
        assert isinstance(value, OpResult)
        op = value.op
        if op in self.dims:
            if isinstance(op, _CONTROL_FLOW) or self.dims[op] == dim:
                return True
            return self._duplicate(op, dim)
        self.dims[op] = dim
        dim = _source_dim(op, dim)
        if isinstance(op, tt.MakeTensorDescOp | ttng.ReinterpretTensorDescOp):
            return True
        if isinstance(op, ttng.WarpGroupDotOp):
            self.dot_operands[op] = _ROWS if dim == _ROWS else _COLUMNS
            operand = op.a if dim == _ROWS else op.b
            return self.add_sources(operand, dim) and self.add_sources(op.c, dim)
        if is_elementwise(op) or isinstance(op, _PASS_ON):
            return all(self.add_sources(operand, dim) for operand in op.operands)
        return False

    def _duplicate(self, op: Operation, dim: int) -> bool:
        """Use an operation once for each of two dimensions, if that is possible."""
        if op in self.duplicates:
            self.duplicates[op][dim] = None
            return True
        first = self.dims[op]
        if not isinstance(op, ttg.LocalAllocOp | arith.ConstantOp) or first is None:
            return False
        self.duplicates[op] = {first: None, dim: None}
        for source in backward_slice(op):
            if source in self.dims:
                del self.dims[source]
                self.skipped.add(source)
        return True

    # ------------------------------------------------------------------------------------ forward

    def add_users(self, value: SSAValue, dim: int, visited: set[SSAValue]) -> bool:
        """Add what is computed from a value; return whether it can be shared."""
        if value in visited:
            return True
        visited.add(value)
        if not self.is_shared(value, dim):
            return True
        for user in [use.operation for use in value.uses]:
            if not self._add_user(user, value, dim, visited):
                return False
        return True

    def _add_user(self, user: Operation, value: SSAValue, dim: int, visited: set[SSAValue]) -> bool:
        if isinstance(user, _TRANSPOSES) and dim != WHOLE:
            dim = array_values(user.properties["order"])[dim]
        if user in self.dims:
            if not isinstance(user, _CONTROL_FLOW) and self.dims[user] != dim:
                return False
            if not isinstance(user, scf.YieldOp):
                return True
        self.dims[user] = dim
        if isinstance(user, ttng.WarpGroupDotOp):
            is_reduced = (dim == _ROWS and value is user.b) or (dim == _COLUMNS and value is user.a)
            if is_reduced:
                # Each consumer computes a partial sum; only an atomic addition combines them.
                if not _is_only_added_atomically(user.results[0]):
                    return False
                self.dot_operands[user] = 0 if value is user.a else 1
                dim = WHOLE
            else:
                self.dot_operands[user] = _ROWS if dim == _ROWS else _COLUMNS
        if not all(self.add_users(result, dim, visited) for result in user.results):
            return False
        if isinstance(user, scf.YieldOp):
            parent = user.parent_op()
            assert parent is not None
            for index, operand in enumerate(user.operands):
                if operand is value:
                    self.dims.setdefault(parent, None)
                    if not self.add_users(parent.results[index], dim, visited):
                        return False
        return True

    def add_closure(self, root: SSAValue, dim: int) -> bool:
        """Add all that has to be shared if a value is; return whether that is possible."""
        if not self.add_sources(root, dim):
            return False
        forward = self.copy()
        is_possible = forward.add_users(root, dim, set())
        self.add_all(forward)
        if not is_possible:
            return False
        for op in forward.dims:
            own = self.dims.get(op)
            if own is None or own == WHOLE:
                continue
            if is_elementwise(op) or isinstance(
                op, tt.StoreOp | tt.DescriptorStoreOp | tt.AtomicRMWOp
            ):
                if not all(self.add_sources(operand, own) for operand in op.operands):
                    return False
            elif isinstance(op, ttng.WarpGroupDotOp) and not self._add_dot_operands(op, own):
                return False
        return True

    def _add_dot_operands(self, dot: ttng.WarpGroupDotOp, dim: int) -> bool:
        index = self.dot_operands[dot]
        operands = (dot.a, dot.b)
        if not self.add_sources(operands[index], dim):
            return False
        if dim == index:
            return self.add_sources(dot.c, dim)
        other = self.add_sources(operands[1 - index], 1 - dim)
        return other and self.add_sources(dot.c, WHOLE)


def _source_dim(op: Operation, dim: int) -> int:
    """Compute the dimension of the operands from that of the results."""
    if dim == WHOLE:
        return dim
    if isinstance(op, _TRANSPOSES):
        return array_values(op.properties["order"]).index(dim)
    if isinstance(op, tt.ExpandDimsOp) and op.axis.value.data < dim:
        return dim - 1
    return dim


def _is_only_added_atomically(value: SSAValue) -> bool:
    """Check whether all that is computed from a value goes into one atomic operation."""
    computed = forward_slice(value)
    atomic = next(
        (op for op in computed if isinstance(op, tt.AtomicRMWOp | tt.DescriptorReduceOp)), None
    )
    if atomic is None:
        return False
    remaining = {*computed} - {atomic}
    worklist: list[Operation] = [atomic]
    while worklist:
        for operand in worklist.pop().operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner in remaining:
                remaining.remove(owner)
                worklist.append(owner)
    return not remaining


def choose_scheme(function: tt.FuncOp) -> PartitionScheme | None:
    """Choose how the consumers share the dots of a function, and all that goes with them.

    Returns:
        The scheme, which is empty if no dot has several consumers; None if they cannot share one.
    """
    scheme = PartitionScheme()
    dots = [
        op
        for op in walk_inner_first(function)
        if isinstance(op, ttng.WarpGroupDotOp) and len(tasks_of(op)) > 1
    ]
    for dot in dots:
        if dot in scheme.dims or dot in scheme.duplicates or dot in scheme.skipped:
            continue
        parts = len(tasks_of(dot))
        result = dot.results[0]
        dims = tuple(_possible_dims(result.type, parts))
        if not dims or (scheme.parts and scheme.parts != parts):
            return None
        scheme.parts = parts
        for dim in dims:
            trial = scheme.copy()
            if trial.add_closure(result, dim):
                scheme = trial
                break
        else:
            return None
    return scheme if scheme.dims or not dots else None


def _possible_dims(type_: Attribute, parts: int) -> Iterator[int]:
    """List the dimensions along which each part of a result is large enough for an MMA."""
    encoding = types.encoding(type_)
    assert encoding is not None
    shape: Sequence[int] = shape_per_cta(encoding, types.shape(type_))
    if len(shape) != len(_MIN_SIZES):
        return
    for dim, size in enumerate(shape):
        if size // parts >= _MIN_SIZES.get(dim, inf):
            yield dim
