"""Follow every tensor's layout through the passes, with the reason that each pass recorded.

    with collecting() as decisions:
        history = History(decisions)
        run_pipeline(passes, module, after=history.note)
    history.of(value)      # Change("convert-triton-to-tritongpu", …), Change("tritongpu-co…", …)

A pass says why by a decision about the value. A pass that only tidies up chooses no layout: what
it makes anew has the layout of what it replaced, and goes on with that one's history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from weft.decisions import Decision
from weft.explain.model import Change
from weft.ir import types
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.passes import Pass
from weft.passes.ledger import source_position

__all__ = ["History", "tensors"]

# Passes that choose no layout: each tensor that they make has that of what it stands in for.
_TIDY = frozenset(
    {
        "canonicalize",
        "cse",
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


def tensors(module: ModuleOp) -> Iterator[tuple[SSAValue, Encoding]]:
    """Yield every value of tensor type that has a layout, in the order of the text."""
    for op in walk(module):
        values: list[SSAValue] = list(op.results)
        for region in op.regions:
            values += [argument for block in region.blocks for argument in block.args]
        for value in values:
            encoding = types.encoding(value.type) if types.is_tensor(value.type) else None
            if encoding is not None:
                yield value, encoding


class History:
    """What happened to the layouts of a module's values.

    Args: decisions: the ledger that is being written.
    """

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._decisions = decisions
        self._read = 0
        self._changes: dict[SSAValue, tuple[Change, ...]] = {}
        self._layouts: dict[SSAValue, Encoding] = {}

    def of(self, value: SSAValue) -> tuple[Change, ...]:
        """Return the history of a value, oldest first."""
        return self._changes.get(value, ())

    def note(self, done: Pass, module: ModuleOp) -> None:
        """Take down what a pass did; called after each pass."""
        fresh: dict[object, Decision] = {}
        for decision in self._decisions[self._read :]:
            if decision.value is not None:
                fresh[decision.value] = decision
        self._read = len(self._decisions)
        before, now = self._layouts, dict(tensors(module))
        gone = _by_origin(value for value in before if value not in now)
        lost = {value.type: value for found in gone.values() for value in found}
        changes: dict[SSAValue, tuple[Change, ...]] = {}
        for value, encoding in now.items():
            decision = fresh.get(value)
            past = self._changes.get(value)
            if past is None:
                past = self._inherited(value, encoding, gone)
            if decision is not None:
                past = _with(past, Change(done.name, str(encoding), decision.reason, decision))
            elif before.get(value) != encoding and not self._is_kept(done, past, encoding):
                past = (*past, self._unexplained(done, value, encoding, lost))
            changes[value] = past
        self._changes, self._layouts = changes, now

    def _inherited(
        self, value: SSAValue, encoding: Encoding, gone: dict[tuple[str, str], list[SSAValue]]
    ) -> tuple[Change, ...]:
        """Return the history of what a new value stands in for, if that can be told."""
        for origin in (_origin(value), ("", source_position(value))):
            found = gone.get(origin) if origin[1] else None
            if found:
                same = [each for each in found if self._layouts[each] == encoding]
                return self._changes[(same or found)[0]]
        return ()

    def _is_kept(self, done: Pass, past: tuple[Change, ...], encoding: Encoding) -> bool:
        return done.name in _TIDY and bool(past) and past[-1].layout == str(encoding)

    def _unexplained(
        self, done: Pass, value: SSAValue, encoding: Encoding, lost: dict[Attribute, SSAValue]
    ) -> Change:
        """Return the entry for a layout that came without a decision.

        Args: lost: a value of each type that the pass took out.
        """
        why = ""
        if done.name in _TIDY and value.type in lost:
            why = "tidied up: stands in for a value of this type and layout"
        elif done.name in _TIDY and self._has_neighbour(value, encoding):
            why = "tidied up: the layout of what it is computed from and for"
        return Change(done.name, str(encoding), why)

    def _has_neighbour(self, value: SSAValue, encoding: Encoding) -> bool:
        """Tell whether a tidying pass made a value among others of its layout."""
        owner = value.owner
        near = list(owner.operands) if isinstance(owner, Operation) else []
        for use in value.uses:
            near += [*use.operation.operands, *use.operation.results]
        return any(other is not value and self._layouts.get(other) == encoding for other in near)


def _with(past: tuple[Change, ...], change: Change) -> tuple[Change, ...]:
    """Return a history with one more entry, unless it says the same as the last one."""
    last = past[-1] if past else None
    if last is not None and (last.stage, last.layout, last.why) == (
        change.stage,
        change.layout,
        change.why,
    ):
        return past
    return (*past, change)


def _origin(value: SSAValue) -> tuple[str, str]:
    owner = value.owner
    return (owner.name if isinstance(owner, Operation) else "argument", source_position(value))


def _by_origin(values: Iterator[SSAValue]) -> dict[tuple[str, str], list[SSAValue]]:
    found: dict[tuple[str, str], list[SSAValue]] = defaultdict(list)
    for value in values:
        origin = _origin(value)
        found[origin].append(value)
        found["", origin[1]].append(value)
    return found
