"""Find the optimum of the layouts of a module for a report: `weft explain --optimum`."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from weft.errors import WeftError
from weft.explain.inventory import launch_attributes
from weft.explain.labels import Labels, LayoutNames, element_bits, shape_text
from weft.explain.optimum_model import KeptLayouts, LayoutDifference, LayoutOptimum
from weft.ir import types
from weft.ir.rewriting import clone
from weft.layouts import Encoding
from weft.optimum import module_cost, optimize
from weft.optimum.assignment import Optimum
from weft.optimum.costs import OperationCosts
from weft.optimum.differences import Difference, differences
from weft.passes.ttgir.narrow_masked_accesses import NarrowMaskedAccesses
from weft.targets import Target, target

__all__ = ["find_optimum"]


def find_optimum(
    module: ModuleOp, heuristics: ModuleOp | None, kept: KeptLayouts | None
) -> LayoutOptimum:
    """Find the optimum of the layouts of a module, which is not changed.

    Args:
        module: The module that is reported on.
        heuristics: The module that the heuristics alone compile to; None if it is not known.
        kept: The layouts that `layouts="optimal"` compiles with; None if it does not apply.

    Raises:
        WeftError: highspy is not installed, or the target has no costs.
    """
    chip = target(launch_attributes(module).target)
    if chip.backend == "cpu":
        raise WeftError("layouts have costs on GPUs only", found=str(chip), accepted=["cuda:90"])
    optimum = optimize(module, chip)
    names = _Names(module)
    entries = tuple(_entries(module, optimum, names))
    return LayoutOptimum(
        triton=None if heuristics is None else module_cost(heuristics, chip),
        weft=optimum.current,
        refined=_refined_cost(module, chip),
        cost=optimum.cost,
        bound=optimum.bound,
        differences=entries,
        layouts=tuple((name, str(each)) for each, name in names.added.items()),
        named=tuple((name, str(each)) for each, name in names.given.items()),
        kept=kept,
    )


def _refined_cost(module: ModuleOp, chip: Target) -> int:
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    NarrowMaskedAccesses().run(copy)
    return module_cost(copy, chip)


class _Names(LayoutNames):
    """The names of layouts: those of the module, and #optimal, #optimal1, … for others.

    Attributes:
        added: The names of the layouts that the module does not have.
        given: The names of all layouts that were asked for.
    """

    def __init__(self, module: ModuleOp) -> None:
        super().__init__(module)
        self.added: dict[Encoding, str] = {}
        self.given: dict[Encoding, str] = {}

    def __call__(self, encoding: Encoding) -> str:
        name = self._name(encoding)
        self.given[encoding] = name
        return name

    def _name(self, encoding: Encoding) -> str:
        is_derived = any(isinstance(value, Encoding) for _, value in encoding.fields())
        if is_derived or self.has_alias(encoding):
            return super().__call__(encoding)
        if encoding not in self.added:
            self.added[encoding] = "#optimal" + str(len(self.added) or "")
        return self.added[encoding]


def _entries(module: ModuleOp, optimum: Optimum, names: _Names) -> Iterator[LayoutDifference]:
    """Yield the operations that differ, those that save most first."""
    labels = Labels(module)
    costs = OperationCosts.of(module, target(launch_attributes(module).target))
    entries = [each for function in optimum.functions for each in differences(function, costs)]
    entries.sort(key=lambda each: each.cost_after - each.cost_before)
    for each in entries:
        yield _entry(each, labels, names)


def _entry(difference: Difference, labels: Labels, names: _Names) -> LayoutDifference:
    op, value = difference.op, difference.value
    tensor = value if value is not None else op.operands[0]
    return LayoutDifference(
        op=op.name,
        value="" if value is None else labels.value(value),
        location=labels.line(op),
        type=shape_text(tensor.type),
        shape=types.shape(tensor.type),
        element_bits=element_bits(tensor.type),
        before=tuple(names(each) for each in difference.layouts_before),
        after=tuple(names(each) for each in difference.layouts_after),
        cost_before=difference.cost_before,
        cost_after=difference.cost_after,
    )
