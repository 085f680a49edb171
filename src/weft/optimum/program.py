"""A function as values without layouts: what is to be computed, before anyone says where.

    %a = arith.addf %x, %y : #blocked
    %b = arith.addf %x1, %y1 : #mma          %x1, %y1: %x, %y in #mma         one value, number 3
    %c = ttg.convert_layout %a : -> #mma

A layout assignment must not depend on the assignment that the module has already. So conversions
are transparent, and operations that passes duplicated in another layout are one `Node`. Values
are numbered as in global value numbering (Alpern, Wegman, Zadeck 1988): equal numbers are equal
values, whatever their layouts. Numbering iter_args assumes that two with equal initial values stay
equal, and starts over without an assumption that their yielded values contradict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, Block, Operation, SSAValue
from weft.ir.interfaces import is_memory_effect_free
from weft.optimum.operation_kinds import Kind, computes_once, is_required, kind_of
from weft.optimum.trip_counts import block_weight

__all__ = ["Node", "Program", "Value", "is_in_flight", "number_values"]

_Key = tuple[object, ...]


class Value(Struct, eq=False):
    """A tensor without a layout.

    Attributes:
        number: Its index in `Program.values`.
        shape: Its shape.
        element: Its element type.
        members: The SSA values that hold it, in whatever layout.
        node: The node that computes it.
        weight: How often a conversion right after its definition is executed.
    """

    number: int
    shape: tuple[int, ...]
    element: Attribute
    members: list[SSAValue]
    weight: int
    node: Node | None = None


class Node(Struct, eq=False):
    """An operation on tensors without layouts, or a loop-carried value.

    Attributes:
        kind: Which layouts it relates.
        op: The operation; the loop or conditional of a carried value.
        index: The index of the carried value among the results of `op`, -1 for an operation.
        members: The operations that compute it, in different layouts; `op` is the first.
        operands: The numbers of its tensor operands.
        results: The numbers of its tensor results; a carried value has the block argument first.
        weight: How often it is executed.
        once: Whether it may be computed in one layout only.
        required: Whether it is executed even if nothing uses its results.
    """

    kind: Kind
    op: Operation
    operands: tuple[int, ...]
    results: tuple[int, ...]
    weight: int
    once: bool
    required: bool
    index: int = -1
    members: list[Operation] = field(default_factory=list)


class Program(Struct):
    """The values and nodes of a function.

    Attributes:
        function: The function.
        values: All tensor values.
        nodes: All nodes, in program order.
        numbers: The number of each SSA value that is a tensor.
        leaders: For each (loop or conditional, index of a result), the index of the first result
            with the same value.
    """

    function: tt.FuncOp
    values: list[Value]
    nodes: list[Node]
    numbers: dict[SSAValue, int]
    leaders: dict[tuple[Operation, int], int]


def is_in_flight(value: Value) -> bool:
    """Check whether a value is only complete after ttng.warp_group_dot_wait."""
    op = value.node.op if value.node is not None else None
    return isinstance(op, ttng.WarpGroupDotOp) and bool(
        attributes.number(op.properties.get("isAsync"))
    )


def number_values(function: tt.FuncOp) -> Program | None:
    """Number the tensors of a function; None if its body has several blocks."""
    blocks = function.regions[0].blocks
    if len(blocks) != 1:
        return None
    separate: set[tuple[Operation, int]] = set()
    while True:
        numbering = _Numbering(Program(function, [], [], {}, {}), separate)
        entry = blocks.first
        assert entry is not None
        numbering.number_block(entry)
        # The assumptions that failed are in `separate` now.
        if not numbering.contradicted:
            return numbering.program


class _Numbering(Struct):
    """One attempt to number a function.

    Attributes:
        program: The result.
        separate: The iter_args that differ from those with the same initial value.
        contradicted: Whether an assumption failed, so that the attempt is void.
        known: The node of each computation.
    """

    program: Program
    separate: set[tuple[Operation, int]]
    contradicted: bool = False
    known: dict[_Key, Node] = field(default_factory=dict)

    def number_block(self, block: Block) -> None:
        """Number a block; arguments without a number have the layouts of the IR."""
        for argument in block.args:
            if types.is_tensor(argument.type) and argument not in self.program.numbers:
                value = self._new_value(argument, block_weight(block))
                owner = block.parent_op() or self.program.function
                self._add_node(Node(Kind.ARGUMENT, owner, (), (value,), 1, True, True))
        for op in block.ops:
            self._number_op(op)

    def _number_op(self, op: Operation) -> None:
        if isinstance(op, ttg.ConvertLayoutOp):
            self._alias(op.result, self.program.numbers[op.src])
        elif isinstance(op, scf.ForOp):
            self._number_for(op)
        elif isinstance(op, scf.IfOp):
            self._number_if(op)
        elif isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), scf.ForOp | scf.IfOp):
            return  # an operand of the carried values
        else:
            self._number_operation(op)

    # ------------------------------------------------------------------------------- operations
    def _number_operation(self, op: Operation) -> None:
        kind = kind_of(op)
        operands = tuple(
            self.program.numbers[value] for value in op.operands if types.is_tensor(value.type)
        )
        results = [result for result in op.results if types.is_tensor(result.type)]
        if not operands and not results:
            self._enter_regions(op)
            return
        key = self._key(op, kind)
        node = self.known.get(key) if key is not None else None
        if node is not None:
            node.members.append(op)
            for result, number in zip(results, node.results, strict=True):
                self._alias(result, number)
            return
        block = op.parent
        assert block is not None
        weight = block_weight(block)
        numbers = tuple(self._new_value(result, weight) for result in results)
        node = Node(
            kind, op, operands, numbers, weight, computes_once(op, kind), is_required(op, kind)
        )
        self._add_node(node)
        if key is not None:
            self.known[key] = node
        self._enter_regions(op)

    def _enter_regions(self, op: Operation) -> None:
        """Number the regions of an operation that holds tensors, such as scf.while."""
        for region in op.regions:
            for block in region.blocks:
                if _has_tensors(block):
                    self.number_block(block)

    def _key(self, op: Operation, kind: Kind) -> _Key | None:
        """Identify what an operation computes; None if a second one computes something else."""
        if kind is Kind.FIXED or op.regions or not is_memory_effect_free(op):
            return None
        # The uses of a result that is no tensor, such as a buffer, are not those of a value.
        if not all(types.is_tensor(result.type) for result in op.results):
            return None
        operands = tuple(
            self.program.numbers[value] if types.is_tensor(value.type) else value
            for value in op.operands
        )
        results = tuple(
            (types.shape(result.type), types.element(result.type))
            if types.is_tensor(result.type)
            else result.type
            for result in op.results
        )
        return type(op), op.parent, operands, results, _properties(op)

    # ------------------------------------------------------------------------- carried values
    def _number_for(self, op: scf.ForOp) -> None:
        numbers = self.program.numbers
        groups: dict[object, int] = {}
        for index, (argument, init) in enumerate(zip(op.iter_args, op.init_args, strict=True)):
            if not types.is_tensor(argument.type):
                continue
            if (op, index) in self.separate:
                leader = index
            else:
                leader = groups.setdefault(numbers[init], index)
            self.program.leaders[op, index] = leader
            if leader == index:
                self._new_value(argument, block_weight(op.block))
            else:
                self._alias(argument, numbers[op.iter_args[leader]])
        self.number_block(op.block)
        yielded = op.yielded_values
        for index, leader in self._leaders_of(op):
            if leader != index:
                if numbers[yielded[index]] != numbers[yielded[leader]]:
                    self.separate.add((op, index))
                    self.contradicted = True
                self._alias(op.results[index], numbers[op.results[leader]])
                continue
            assert op.parent is not None
            weight = block_weight(op.parent)
            result = self._new_value(op.results[index], weight)
            operands = (numbers[op.init_args[index]], numbers[yielded[index]])
            results = (numbers[op.iter_args[index]], result)
            node = Node(Kind.CARRIED, op, operands, results, weight, False, False, index)
            self._add_node(node)

    def _number_if(self, op: scf.IfOp) -> None:
        numbers = self.program.numbers
        terminators = []
        for region in op.regions:
            for block in region.blocks:
                self.number_block(block)
                terminators.append(block.last_op)
        groups: dict[object, int] = {}
        assert op.parent is not None
        weight = block_weight(op.parent)
        for index, result in enumerate(op.results):
            if not types.is_tensor(result.type):
                continue
            operands = tuple(numbers[last.operands[index]] for last in terminators)
            leader = groups.setdefault(operands, index)
            self.program.leaders[op, index] = leader
            if leader != index:
                self._alias(result, numbers[op.results[leader]])
                continue
            number = self._new_value(result, weight)
            self._add_node(Node(Kind.CARRIED, op, operands, (number,), weight, False, False, index))

    def _leaders_of(self, op: Operation) -> Iterator[tuple[int, int]]:
        leaders: Mapping[tuple[Operation, int], int] = self.program.leaders
        for index in range(len(op.results)):
            if (op, index) in leaders:
                yield index, leaders[op, index]

    # --------------------------------------------------------------------------------- helpers
    def _new_value(self, value: SSAValue, weight: int) -> int:
        values = self.program.values
        number = len(values)
        shape, element = types.shape(value.type), types.element(value.type)
        values.append(Value(number, shape, element, [value], weight))
        self.program.numbers[value] = number
        return number

    def _alias(self, value: SSAValue, number: int) -> None:
        self.program.numbers[value] = number
        self.program.values[number].members.append(value)

    def _add_node(self, node: Node) -> None:
        if node.kind not in (Kind.ARGUMENT, Kind.CARRIED):
            node.members.append(node.op)
        self.program.nodes.append(node)
        for number in node.results:
            self.program.values[number].node = node


def _has_tensors(block: Block) -> bool:
    values = [*block.args, *(result for op in block.ops for result in op.results)]
    values += [operand for op in block.ops for operand in op.operands]
    return any(types.is_tensor(value.type) for value in values) or any(
        _has_tensors(inner) for op in block.ops for region in op.regions for inner in region.blocks
    )


def _properties(op: Operation) -> _Key:
    """List what a computation depends on besides its operands, without layouts."""
    if op.name == "arith.constant":
        # The type of a dense constant has a layout; its elements do not.
        value = op.properties["value"]
        if isinstance(value, attributes.SplatAttr):
            return (value.value,)
        return (getattr(value, "data", value),)
    return tuple((name, op.properties[name]) for name in sorted(op.properties))
