"""What is known of every value of a module, and what follows for memory accesses.

Functions come after their callers: what is known of an argument is what all calls pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd

from weft.analysis.axis_info.flow import Flow
from weft.analysis.axis_info.hints import HINTS, hinted
from weft.analysis.axis_info.info import AxisInfo, rank_of, unknown, unresolved
from weft.ir import attributes, tt, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order

__all__ = ["ModuleAxisInfo", "axis_info", "tell_callees"]


@dataclass(frozen=True, slots=True)
class ModuleAxisInfo(Mapping[SSAValue, AxisInfo]):
    """Value → what is known of it, for a module as it was when asked.

    A value that was made later, or that stands inside a reduction, is not there: `get` gives None.
    passed: what calls pass to each function that is called, by argument.
    """

    known: dict[SSAValue, AxisInfo]
    passed: dict[tt.FuncOp, tuple[AxisInfo, ...]]

    def __getitem__(self, value: SSAValue) -> AxisInfo:
        return self.known[value]

    def __iter__(self) -> Iterator[SSAValue]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def alignment(self, value: SSAValue, element_bits: int | None = None) -> int:
        """Return how many neighbours along the layout's fastest dimension lie aligned in a row.

        Args: value: a tensor of pointers, or of offsets.  element_bits: of what lies in memory;
              by default of the pointee, or of the tensor's own element.
        Returns: elements; 1 for a scalar.
        """
        type_ = value.type
        info = self.known.get(value)
        encoding = types.encoding(type_)
        if info is None or encoding is None:
            return 1
        fast = dimension_order(encoding.linear(types.shape(type_)))[0]
        scalar = types.element(type_)
        multiple = info.divisibility[fast]
        if types.is_pointer(scalar):
            bits = types.bit_width(scalar.pointee) if element_bits is None else element_bits
            multiple = max(1, multiple // max(1, bits // 8))
        return min(multiple, info.contiguity[fast])

    def contiguity(self, value: SSAValue, element_bits: int | None = None) -> int:
        """Return how many elements one access of a thread may take: aligned, and held in a row.

        Args: as of `alignment`.
        """
        encoding = types.encoding(value.type)
        if encoding is None:
            return 1
        layout = encoding.linear(types.shape(value.type))
        held = contiguous_per_thread(layout)[dimension_order(layout)[0]]
        return min(held, self.alignment(value, element_bits))

    def constancy(self, value: SSAValue) -> tuple[int, ...] | None:
        """Return per dimension how many neighbours, from a multiple on, are one value."""
        info = self.known.get(value)
        return None if info is None else tuple(info.constancy)

    def mask_alignment(self, mask: SSAValue) -> int:
        """Return how many neighbours along the layout's fastest dimension a mask bit covers."""
        info = self.known.get(mask)
        encoding = types.encoding(mask.type)
        if info is None or encoding is None:
            return 1
        return info.constancy[dimension_order(encoding.linear(types.shape(mask.type)))[0]]


def axis_info(module: ModuleOp) -> ModuleAxisInfo:
    """Return what is known of the values of a module's functions."""
    known: dict[SSAValue, AxisInfo] = {}
    passed: dict[tt.FuncOp, tuple[AxisInfo, ...]] = {}
    functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    calls = _calls(functions)
    for function in _callers_first(functions, calls):
        if function.regions[0].blocks.first is None:
            continue
        given = _arguments(function, calls[function], known)
        if calls[function]:
            passed[function] = given
        Flow(known).run(function, given)
    return ModuleAxisInfo(known, passed)


def _calls(functions: list[tt.FuncOp]) -> dict[tt.FuncOp, list[tt.CallOp]]:
    """Return the calls of each function."""
    by_name = {function.symbol: function for function in functions}
    calls: dict[tt.FuncOp, list[tt.CallOp]] = {function: [] for function in functions}
    if len(functions) < 2:
        return calls
    for function in functions:
        for op in function.walk():
            if isinstance(op, tt.CallOp):
                callee = by_name.get(op.callee.root_reference.data)
                if callee is not None:
                    calls[callee].append(op)
    return calls


def _callers_first(
    functions: list[tt.FuncOp], calls: dict[tt.FuncOp, list[tt.CallOp]]
) -> list[tt.FuncOp]:
    """Return the functions, each after those that call it; one that calls itself where it comes."""
    ordered: list[tt.FuncOp] = []
    seen: set[tt.FuncOp] = set()

    def put(function: tt.FuncOp) -> None:
        if function in seen:
            return
        seen.add(function)
        for call in calls[function]:
            put(_function_of(call))
        ordered.append(function)

    for function in functions:
        put(function)
    return ordered


def _function_of(call: tt.CallOp) -> tt.FuncOp:
    around = call.parent_op()
    while not isinstance(around, tt.FuncOp):
        assert around is not None
        around = around.parent_op()
    return around


def _arguments(
    function: tt.FuncOp, calls: list[tt.CallOp], known: dict[SSAValue, AxisInfo]
) -> tuple[AxisInfo, ...]:
    """Return what is known of the arguments: what calls pass, else what the signature says."""
    found = []
    for index, argument in enumerate(function.entry.args):
        rank = rank_of(argument.type)
        seen = bool(calls) and all(call.operands[index] in known for call in calls)
        if rank == 1 and seen:
            found.append(_passed(function, index, calls, known))
        else:
            found.append(hinted(unknown(rank), function.argument_attributes(index)))
    return tuple(found)


def _passed(
    function: tt.FuncOp, index: int, calls: list[tt.CallOp], known: dict[SSAValue, AxisInfo]
) -> AxisInfo:
    """Return what all calls tell of an argument, and its hints where it has some."""
    start = hinted(unresolved(1), function.argument_attributes(index))
    infos = [start, *(known[call.operands[index]] for call in calls)]
    return AxisInfo(
        (gcd(*(info.contiguity[0] for info in infos)),),
        (gcd(*(info.divisibility[0] for info in infos)),),
        (gcd(*(info.constancy[0] for info in infos)),),
    )


def tell_callees(info: ModuleAxisInfo) -> None:
    """Write what calls pass into the signatures of the functions that they call, as Triton does."""
    for function, arguments in info.passed.items():
        for index, told in enumerate(arguments):
            if told.rank != 1:
                continue
            given = function.argument_attributes(index)
            for hint, numbers in zip(
                HINTS, (told.contiguity, told.divisibility, told.constancy), strict=True
            ):
                given[hint] = attributes.integer(numbers[0], types.i64)
            function.set_argument_attributes(index, dict(sorted(given.items())))
