"""Axis info of a whole module, and what follows from it for memory accesses.

    tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
      tt.call @f(%p)                                    analysed first
    }
    tt.func private @f(%q: !tt.ptr<f16>) { … }          %q: the join over all calls, here 16

A function is analysed once, after all its callers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from weft.analysis.axis_info.hint_attributes import HINTS, with_hints
from weft.analysis.axis_info.lattice import AxisInfo, rank_of, unconstrained, unknown
from weft.analysis.axis_info.propagation import AxisInfoAnalysis
from weft.analysis.dataflow.call_graph import callers_first, calls_of
from weft.ir import attributes, tt, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.interfaces import CallOpInterface
from weft.layouts.dimension_order import contiguous_per_thread, dimension_order

__all__ = ["ModuleAxisInfo", "axis_info", "write_argument_hints"]


@dataclass(frozen=True, slots=True)
class ModuleAxisInfo(Mapping[SSAValue, AxisInfo]):
    """The axis info of each value of a module as it was when it was analysed.

    Values created later and values inside of reductions are missing.

    Attributes:
        infos: The axis info by value.
        arguments: Of each function that is called, the axis info of its arguments.
    """

    infos: Mapping[SSAValue, AxisInfo]
    arguments: Mapping[tt.FuncOp, tuple[AxisInfo, ...]]

    def __getitem__(self, value: SSAValue) -> AxisInfo:
        return self.infos[value]

    def __iter__(self) -> Iterator[SSAValue]:
        return iter(self.infos)

    def __len__(self) -> int:
        return len(self.infos)

    def alignment(self, value: SSAValue, element_bits: int | None = None) -> int:
        """Compute how many consecutive elements start at an aligned address.

        "Consecutive" is along the fastest dimension of the layout.

        Args:
            value: A tensor of pointers or of offsets.
            element_bits: The width of an element in memory; by default that of the pointee, or
                of the tensor's own element.

        Returns:
            The number of elements; 1 for a scalar or a tensor without layout.
        """
        type_ = value.type
        info = self.infos.get(value)
        encoding = types.encoding(type_)
        if info is None or encoding is None:
            return 1
        fastest = dimension_order(encoding.linear(types.shape(type_)))[0]
        scalar = types.element(type_)
        aligned = info.divisibility[fastest]
        if types.is_pointer(scalar):
            bits = types.bit_width(scalar.pointee) if element_bits is None else element_bits
            aligned = info.aligned_elements(fastest, bits)
        return min(aligned, info.contiguity[fastest])

    def contiguity(self, value: SSAValue, element_bits: int | None = None) -> int:
        """Compute how many elements a thread can access at once: consecutive and aligned.

        Args:
            value: As for `alignment`.
            element_bits: As for `alignment`.
        """
        encoding = types.encoding(value.type)
        if encoding is None:
            return 1
        layout = encoding.linear(types.shape(value.type))
        per_thread = contiguous_per_thread(layout)[dimension_order(layout)[0]]
        return min(per_thread, self.alignment(value, element_bits))

    def constancy(self, value: SSAValue) -> tuple[int, ...] | None:
        """Look up the constancy of a value per dimension, None if it is not known."""
        info = self.infos.get(value)
        return None if info is None else tuple(info.constancy)

    def mask_alignment(self, mask: SSAValue) -> int:
        """Compute how many consecutive elements share one mask bit."""
        info = self.infos.get(mask)
        encoding = types.encoding(mask.type)
        if info is None or encoding is None:
            return 1
        return info.constancy[dimension_order(encoding.linear(types.shape(mask.type)))[0]]


def axis_info(module: ModuleOp) -> ModuleAxisInfo:
    """Analyse all functions of a module."""
    analysis = AxisInfoAnalysis()
    arguments: dict[tt.FuncOp, tuple[AxisInfo, ...]] = {}
    functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    calls = calls_of(functions) if len(functions) > 1 else {}
    for function in callers_first(functions, calls):
        if function.callable_region is None:
            continue
        calls_of_function = calls.get(function, ())
        infos = _argument_infos(function, calls_of_function, analysis.states)
        if calls_of_function:
            arguments[function] = infos
        analysis.run_function(function, infos)
    return ModuleAxisInfo(analysis.states, arguments)


def _argument_infos(
    function: tt.FuncOp, calls: Sequence[CallOpInterface], infos: Mapping[SSAValue, AxisInfo]
) -> tuple[AxisInfo, ...]:
    """Compute the axis info of arguments: what all calls pass, else what the signature says."""
    argument_infos: list[AxisInfo] = []
    for index, argument in enumerate(function.entry.args):
        rank = rank_of(argument.type)
        # A recursive call is analysed after its callee, so its operands have no info yet.
        is_passed = bool(calls) and all(call.operands[index] in infos for call in calls)
        if rank == 1 and is_passed:
            argument_infos.append(_passed_info(function, index, calls, infos))
        else:
            hints = function.argument_attributes(index)
            argument_infos.append(with_hints(unknown(rank), hints))
    return tuple(argument_infos)


def _passed_info(
    function: tt.FuncOp,
    index: int,
    calls: Sequence[CallOpInterface],
    infos: Mapping[SSAValue, AxisInfo],
) -> AxisInfo:
    """Join what all calls pass for an argument, and its hints where it has some."""
    hints = with_hints(unconstrained(1), function.argument_attributes(index))
    sources = [hints, *(infos[call.operands[index]] for call in calls)]
    return AxisInfo(
        (gcd(*(info.contiguity[0] for info in sources)),),
        (gcd(*(info.divisibility[0] for info in sources)),),
        (gcd(*(info.constancy[0] for info in sources)),),
    )


def write_argument_hints(info: ModuleAxisInfo) -> None:
    """Write what calls pass into the signatures of their callees, as Triton does."""
    for function, argument_infos in info.arguments.items():
        for index, argument_info in enumerate(argument_infos):
            if argument_info.rank != 1:
                continue
            attrs = function.argument_attributes(index)
            for hint, numbers in zip(
                HINTS,
                (argument_info.contiguity, argument_info.divisibility, argument_info.constancy),
                strict=True,
            ):
                attrs[hint] = attributes.integer(numbers[0], types.i64)
            function.set_argument_attributes(index, dict(sorted(attrs.items())))
