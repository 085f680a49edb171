"""Compute as much as can be in the layouts that matter, and drop conversions between others.

`tritongpu-remove-layout-conversions`.

Before:  %c = ttg.convert_layout %p : #blocked -> #coalesced
         %v = tt.load %c : #coalesced
         %w = ttg.convert_layout %v : #coalesced -> #blocked
         %x = arith.mulf %w, %k : #blocked
         %y = ttg.convert_layout %x : #blocked -> #coalesced
         tt.store %c, %y
After:   %v = tt.load %p : #coalesced               (and %p is computed in #coalesced)
         %x = arith.mulf %v, %k : #coalesced
         tt.store %p, %x

In phases, each a file here. Forward: the layouts of anchors, accesses to memory and products, are
carried to all that can follow them (`propagation`), values that could follow several take one
(`conflicts`), and the function is rewritten (`rewriting`). Backward, until nothing changes: a
conversion goes where its operand can be computed in the other layout for less (`rematerialisation`,
`costs`). What is left is hoisted: over what makes elements wider or more (`hoist_extensions`),
into branches (`hoist_conditionals`), to the loads of a dot's operand (`hoist_operands`).

Needs: layouts, "ttg.threads-per-warp". Keeps: values, and the layouts of anchors.
Source: the phases and the cost model of Triton 3.7.1; measured on it, by its debug lines, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation
from weft.passes.ttgir.remove_layout_conversions.anchors import Anchors
from weft.passes.ttgir.remove_layout_conversions.cleanup import (
    fold_conversions,
    fold_from,
    shrink,
)
from weft.passes.ttgir.remove_layout_conversions.conflicts import settle
from weft.passes.ttgir.remove_layout_conversions.hoist_conditionals import hoist_into_conditional
from weft.passes.ttgir.remove_layout_conversions.hoist_extensions import hoist_over_extension
from weft.passes.ttgir.remove_layout_conversions.hoist_operands import dots_of, hoist_to_loads
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.notes import Notes
from weft.passes.ttgir.remove_layout_conversions.order import operations
from weft.passes.ttgir.remove_layout_conversions.propagation import Origins, propagate
from weft.passes.ttgir.remove_layout_conversions.rematerialisation import (
    conversions_of,
    rematerialise,
)
from weft.passes.ttgir.remove_layout_conversions.rewriting import Rewriting

__all__ = ["RemoveLayoutConversions"]


@dataclass(frozen=True, slots=True)
class RemoveLayoutConversions:
    """Post: values follow an anchor where one reaches them; conversions left pay for themselves."""

    name: ClassVar[str] = "tritongpu-remove-layout-conversions"

    def run(self, module: ModuleOp) -> None:
        """Change layouts and conversions of a module in place.

        Raises: PassError: the module has no layouts.
        """
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        anchors = Anchors.of(module)
        notes = Notes(self)
        for function in functions:
            _forward(function, anchors, notes)
        fold_conversions(module)
        todo = functions
        while todo:
            found = {function: rematerialise(function, anchors, notes) for function in todo}
            touched = [op for ops in found.values() if ops is not None for op in ops]
            todo = [function for function, ops in found.items() if ops is not None]
            fold_from(module, touched)
        hoisted: dict[Operation, None] = {}
        for function in functions:
            hoisted |= _hoist(function, anchors, notes)
        shrink(module, functions, hoisted)
        notes.rest(functions)


def _forward(function: tt.FuncOp, anchors: Anchors, notes: Notes) -> None:
    """Give values the layouts of the anchors that they follow."""
    origins: Origins | None = {} if notes.enabled else None
    candidates = propagate(function, anchors, origins)
    chosen = settle(candidates)
    if origins is not None:
        notes.chosen(candidates, chosen, origins)
    Rewriting(chosen).run(function.regions[0])


def _hoist(function: tt.FuncOp, anchors: Anchors, notes: Notes) -> dict[Operation, None]:
    """Move the conversions that are left to where they cost less; return what was touched."""

    def over_extension(conversion: ttg.ConvertLayoutOp, known: Known) -> bool:
        return hoist_over_extension(conversion, anchors, known, notes)

    def into_conditional(conversion: ttg.ConvertLayoutOp, known: Known) -> bool:
        return hoist_into_conditional(conversion, anchors, known, notes)

    def to_loads(conversion: ttg.ConvertLayoutOp, known: Known) -> bool:
        return hoist_to_loads(conversion, dots, known, notes)

    touched = _each(function, over_extension)
    if any(type(op) is scf.IfOp for op in operations(function)):
        touched |= _each(function, into_conditional)
    dots = dots_of(function)
    return touched | _each(function, to_loads) if dots else touched


def _each(
    function: tt.FuncOp, hoist: Callable[[ttg.ConvertLayoutOp, Known], bool]
) -> dict[Operation, None]:
    """Try to hoist each conversion of a function; return what was touched."""
    known = Known()
    for conversion in conversions_of(function):
        target = types.encoding(conversion.result.type)
        assert target is not None
        if not hoist(conversion, known):
            known.add(conversion.src, target, conversion.result)
    return known.end()
