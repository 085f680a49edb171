"""Follow the layout of each tensor through the passes, with the reasons that they recorded.

    with collecting() as decisions:
        history = LayoutHistory(decisions)
        history.record_source(module)       # of a Gluon kernel, whose author wrote layouts
        run_pipeline(passes, module, after=history.record_pass)
    history.of(value)      # Change("convert-triton-to-tritongpu", …), Change("tritongpu-co…", …)

A pass records a reason in a decision about the value. A cleanup pass (cse, canonicalize, …)
chooses no layouts: a value that it creates continues the history of the value that it replaces.

    before cse    %3 = arith.addi %1, %2    history: convert-triton-to-tritongpu, coalesce
    after cse     %8 = arith.addi %1, %2    %3 is erased; same op and source position, so the same
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.decisions import Decision
from weft.explain.model import Change
from weft.ir import types
from weft.ir.placeholder_layouts import is_placeholder
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.passes import Pass
from weft.passes.ledger import source_position

__all__ = ["LayoutHistory", "values_with_layouts"]

# These choose no layouts: each new tensor has the layout of a value that it replaces.
_CLEANUP_PASSES = frozenset(
    {
        "canonicalize",
        "cse",
        "gluon-canonicalize",
        "gluon-inline",
        "sccp",
        "symbol-dce",
        "triton-licm",
        "triton-loop-aware-cse",
        "tritongpu-fuse-nested-loops",
        "tritongpu-combine-tensor-select-and-if",
        "tritongpu-reorder-instructions",
        "tritonamdgpu-prepare-if-combining",
        "tritonamdgpu-fold-true-cmpi",
        "tritonamdgpu-canonicalize-pointers",
        "tritonamdgpu-convert-buffer-ops",
        "tritonamdgpu-move-up-prologue-loads",
    }
)

_SOURCE = "source"
_DERIVING_DIALECTS = ("tt.", "arith.", "math.", "scf.")
"""The dialects whose results have layouts that follow from their operands."""

_Origin = tuple[str, str]  # name of the defining operation, source position
_Changes = tuple[Change, ...]


def values_with_layouts(module: ModuleOp) -> Iterator[tuple[SSAValue, Encoding]]:
    """Yield every tensor with a layout, in the order of the text, and the layout."""
    for op in walk(module):
        values: list[SSAValue] = list(op.results)
        for region in op.regions:
            values += [argument for block in region.blocks for argument in block.args]
        for value in values:
            encoding = types.encoding(value.type) if types.is_tensor(value.type) else None
            if encoding is not None:
                yield value, encoding


class LayoutHistory:
    """The layouts that passes gave to the values of a module.

    Args:
        decisions: The ledger, to which passes append.
    """

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._decisions = decisions
        self._decision_count = 0  # decisions of the passes so far
        self._changes: dict[SSAValue, _Changes] = {}
        self._layouts: dict[SSAValue, Encoding] = {}

    def of(self, value: SSAValue) -> _Changes:
        """Return the layout changes of a value, oldest first."""
        return self._changes.get(value, ())

    def record_source(self, module: ModuleOp) -> None:
        """Record the layouts that the author of a Gluon kernel wrote; before the first pass."""
        self._layouts = dict(values_with_layouts(module))
        self._changes = {
            value: (Change(_SOURCE, str(encoding), _source_reason(value, encoding)),)
            for value, encoding in self._layouts.items()
        }

    def record_pass(self, pass_: Pass, module: ModuleOp) -> None:
        """Record the layouts after a pass; to be called after each pass."""
        new_decisions = {
            decision.value: decision
            for decision in self._decisions[self._decision_count :]
            if decision.value is not None
        }
        self._decision_count = len(self._decisions)
        old_layouts, layouts = self._layouts, dict(values_with_layouts(module))
        erased = _group_by_origin(value for value in old_layouts if value not in layouts)
        erased_types = {value.type for values in erased.values() for value in values}
        changes: dict[SSAValue, _Changes] = {}
        for value, encoding in layouts.items():
            past = self._changes.get(value)
            if past is None:  # the pass created the value
                past = self._inherited(value, encoding, erased)
            decision = new_decisions.get(value)
            if decision is not None:
                change = Change(pass_.name, str(encoding), decision.reason, decision)
                past = _append(past, change)
            elif old_layouts.get(value) != encoding and not _is_continued(pass_, past, encoding):
                reason = self._cleanup_reason(pass_, value, encoding, erased_types)
                past = (*past, Change(pass_.name, str(encoding), reason))
            changes[value] = past
        self._changes, self._layouts = changes, layouts

    def _inherited(
        self, value: SSAValue, encoding: Encoding, erased: Mapping[_Origin, list[SSAValue]]
    ) -> _Changes:
        """Return the history of the erased value that a new value replaces, () if unknown.

        It has the same operation and source position, else the same position only; of several,
        one with the same layout is preferred.
        """
        for origin in (_origin(value), ("", source_position(value))):
            replaced = erased.get(origin) if origin[1] else None
            if replaced:
                same_layout = [each for each in replaced if self._layouts[each] == encoding]
                return self._changes[(same_layout or replaced)[0]]
        return ()

    def _cleanup_reason(
        self, pass_: Pass, value: SSAValue, encoding: Encoding, erased_types: set[Attribute]
    ) -> str:
        """Explain a layout that a pass gave without a decision; "" if the reason is unknown."""
        if pass_.name in _CLEANUP_PASSES:
            if value.type in erased_types:
                return "cleanup: replaces a value of this type and layout"
            if self._has_related_value(value, encoding):
                return "cleanup: the layout of its operands or users"
        return ""

    def _has_related_value(self, value: SSAValue, encoding: Encoding) -> bool:
        """Check whether an operand or a result of a user had this layout before the pass."""
        owner = value.owner
        related = list(owner.operands) if isinstance(owner, Operation) else []
        for use in value.uses:
            related += [*use.operation.operands, *use.operation.results]
        return any(other is not value and self._layouts.get(other) == encoding for other in related)


def _source_reason(value: SSAValue, encoding: Encoding) -> str:
    """Explain the layout of a value of a Gluon kernel before the first pass."""
    if is_placeholder(encoding):
        return "left to inference by the author"
    owner = value.owner
    if isinstance(owner, Operation) and owner.name.startswith(_DERIVING_DIALECTS):
        operands = (types.encoding(each.type) for each in owner.operands if _is_tensor(each))
        if any(each is not None for each in operands):
            return "follows from its operands, whose layouts the author wrote"
    return "written by the author"


def _is_tensor(value: SSAValue) -> bool:
    return types.is_tensor(value.type)


def _is_continued(pass_: Pass, past: _Changes, encoding: Encoding) -> bool:
    """Check whether a cleanup pass kept the layout of the value that it replaced."""
    return pass_.name in _CLEANUP_PASSES and bool(past) and past[-1].layout == str(encoding)


def _append(past: _Changes, change: Change) -> _Changes:
    """Append a change, unless the last one has the same pass, layout and reason."""
    last = past[-1] if past else None
    if last is not None and (last.stage, last.layout, last.why) == (
        change.stage,
        change.layout,
        change.why,
    ):
        return past
    return (*past, change)


def _origin(value: SSAValue) -> _Origin:
    owner = value.owner
    return (owner.name if isinstance(owner, Operation) else "argument", source_position(value))


def _group_by_origin(values: Iterable[SSAValue]) -> dict[_Origin, list[SSAValue]]:
    """Group values by operation and position, and again by position alone (operation "")."""
    groups: dict[_Origin, list[SSAValue]] = defaultdict(list)
    for value in values:
        op_name, position = _origin(value)
        groups[op_name, position].append(value)
        groups["", position].append(value)
    return groups
