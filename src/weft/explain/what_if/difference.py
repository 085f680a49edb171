"""Compile a kernel as it is and with changes, and compare the counted costs and the conversions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.signature_types import CONSTEXPR
from weft.errors import WeftError, did_you_mean
from weft.explain.advice.edits import with_constant
from weft.explain.advice.trials import changes_between
from weft.explain.advice.workbench import Variant, Workbench
from weft.explain.counted_cost import CountedCost, counted_cost
from weft.explain.inventory import launch_attributes
from weft.explain.kernel_report import parse_module_with_layouts
from weft.explain.loop_iterations import LoopIterations
from weft.explain.matching import match_entries
from weft.explain.model import CountChange, Report
from weft.explain.module_report import build_report
from weft.explain.what_if.assumptions import Assumption, parse_assumptions
from weft.explain.what_if.pinned_layouts import pin_layout, read_layout
from weft.ir.builtin import ModuleOp
from weft.kernel.kernel_interface import kernel_of
from weft.targets import target

__all__ = ["WhatIf", "what_if"]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The difference that changes of a compile make.

    Attributes:
        kernel: The name of the kernel.
        target: The target.
        changes: The changes: "%tile=#blocked", "num_warps=8", "n % 16 == 0".
        before: The counted cost without them, in quarter cycles of one SM or CU.
        after: The counted cost with them.
        counts: The counts that differ.
        vanished: The conversions that only the compile without them has, in words.
        appeared: The conversions that only the compile with them has.
    """

    kernel: str
    target: str
    changes: tuple[str, ...]
    before: int
    after: int
    counts: tuple[CountChange, ...]
    vanished: tuple[str, ...]
    appeared: tuple[str, ...]

    def text(self) -> str:
        """Format the difference: - for conversions that vanish, + for those that appear."""
        lines = [f"{self.kernel}  {self.target}  what if {', '.join(self.changes)}"]
        if self.before == self.after:
            lines.append(f"  counted cost: {self.before:,}, unchanged")
        else:
            gain = 100 * (self.after - self.before) / max(self.before, 1)
            lines.append(f"  counted cost: {self.before:,} → {self.after:,} ({gain:+.1f} %)")
        lines += [f"  {each}" for each in self.counts]
        lines += [f"- {each}" for each in self.vanished]
        lines += [f"+ {each}" for each in self.appeared]
        if not self.counts and not self.vanished and not self.appeared:
            lines.append("  no differences")
        return "\n".join(lines) + "\n"

    def as_object(self) -> dict[str, object]:
        """Convert the difference to what JSON can hold."""
        return {
            "kernel": self.kernel,
            "target": self.target,
            "changes": list(self.changes),
            "before": self.before,
            "after": self.after,
            "counts": [
                {"name": each.name, "before": each.before, "after": each.after}
                for each in self.counts
            ],
            "vanished": list(self.vanished),
            "appeared": list(self.appeared),
        }


@dataclass(frozen=True, slots=True)
class _Changes:
    """What is changed.

    Attributes:
        layouts: The layouts of values: "%tile" → "#blocked".
        values: Compile options and constexpr arguments.
        assumptions: Assumptions about arguments.
    """

    layouts: dict[str, str]
    values: dict[str, object]
    assumptions: tuple[Assumption, ...]


def what_if(
    kernel: object,
    target_name: str | None,
    settings: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    *,
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> WhatIf:
    """Compare a compile with one that is changed.

    Args:
        kernel: A kernel, or the path of a file of IR; of IR with layouts only layouts are set.
        target_name: "cuda:90", …; None for IR with layouts, which names its target.
        settings: "%value=LAYOUT", "option=value", or "BLOCK=value" of a constexpr argument.
        assumptions: "n % 16 == 0", "n == 1", "0 <= n < 4096".
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        options: Compile options, with and without the changes.

    Raises:
        WeftError: A change cannot be read, does not fit the kernel, or is illegal; and all errors
            of `weft.compile`.
    """
    changes = _read_changes(settings, assumptions)
    loops = {each.name: each.value for each in changes.assumptions if each.value is not None}
    if isinstance(kernel, str | Path):
        module = parse_module_with_layouts(Path(kernel))
        if module is not None:
            if changes.values or changes.assumptions:
                raise WeftError(
                    "only layouts can be set in IR with layouts",
                    found=", ".join((*changes.values, *assumptions)),
                    accepted=["--set '%value=#layout'"],
                )
            return _difference(module, module, changes, (*settings, *assumptions), loops)
    if target_name is None:
        raise WeftError(
            "a target is needed to compile for",
            accepted=["--target hip:gfx942", "--target cuda:90"],
        )
    if not isinstance(kernel, str | Path) and kernel_of(kernel).is_gluon:
        raise WeftError("the author of a Gluon kernel wrote its layouts", found="--set, --assume")
    bench = Workbench.of(kernel, target(target_name), options or {}, signature, constexprs)
    before = bench.compile(bench.variant)
    variant = _with_values(bench.variant, changes.values)
    for each in changes.assumptions:
        variant = each.apply(variant)
    after = before if variant == bench.variant else bench.compile(variant)
    return _difference(before, after, changes, (*settings, *assumptions), loops)


def _read_changes(settings: Sequence[str], assumptions: Sequence[str]) -> _Changes:
    layouts: dict[str, str] = {}
    values: dict[str, object] = {}
    for text in settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise WeftError(
                "--set takes NAME=VALUE", found=text,
                accepted=["'%value=#layout'", "num_warps=8", "BLOCK=128"],
            )  # fmt: skip
        if name.startswith("%"):
            layouts[name] = value
        else:
            values[name] = _literal(value)
    parsed = tuple(each for text in assumptions for each in parse_assumptions(text))
    return _Changes(layouts, values, parsed)


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _with_values(variant: Variant, values: Mapping[str, object]) -> Variant:
    """Set compile options and constexpr arguments.

    Raises:
        WeftError: A name is neither.
    """
    signature = variant.signature
    parameters = () if signature is None else signature.names
    constants = {
        name: (index,)
        for index, name in enumerate(parameters)
        if signature is not None and signature.types[index] == CONSTEXPR
    }
    for name, value in values.items():
        if name in constants and signature is not None:
            signature = with_constant(signature, constants[name], value)
        elif name in CompileOptions.__struct_fields__:
            variant = replace(variant, options={**variant.options, name: value})
        else:
            known = (*constants, *CompileOptions.__struct_fields__)
            raise WeftError(
                f"{name} is neither a compile option nor a constexpr argument of the kernel",
                found=name,
                accepted=[*constants, "num_warps", "num_stages", "… (weft compile --help)"],
                hint=did_you_mean(name, known) or "an argument has --assume, a value %name",
            )
    return replace(variant, signature=signature)


def _difference(
    before: ModuleOp,
    compiled: ModuleOp,
    changes: _Changes,
    words: tuple[str, ...],
    loops: Mapping[str, int],
) -> WhatIf:
    """Set layouts in the module that was compiled with the other changes, and compare."""
    after = compiled
    for name, layout in changes.layouts.items():
        after = _cheapest(pin_layout(after, name, read_layout(layout, after)), loops)
    costs = [counted_cost(each, LoopIterations(loops)) for each in (before, after)]
    reports = build_report(before), build_report(after)
    vanished, appeared = _conversions(*reports)
    launch = launch_attributes(before)
    return WhatIf(
        launch.kernel,
        launch.target,
        words,
        round(costs[0].total),
        round(costs[1].total),
        tuple(changes_between(costs[0], costs[1])),
        vanished,
        appeared,
    )


def _cheapest(modules: Iterator[ModuleOp], loops: Mapping[str, int]) -> ModuleOp:
    """Choose the first module of the least cost."""
    best: tuple[CountedCost, ModuleOp] | None = None
    for module in modules:
        cost = counted_cost(module, LoopIterations(loops))
        if best is None or cost.total < best[0].total:
            best = cost, module
    return cast("tuple[CountedCost, ModuleOp]", best)[1]


def _conversions(first: Report, second: Report) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the conversions that only one of two reports has."""
    entries = [each for each in match_entries(first, second) if each.kind == "conversion"]
    differing = [each for each in entries if not each.is_same]
    vanished = ((each.first_line, each.first) for each in differing if each.first is not None)
    appeared = ((each.second_line, each.second) for each in differing if each.second is not None)
    return (
        tuple(f"line {line}: {text}" for line, text in vanished),
        tuple(f"line {line}: {text}" for line, text in appeared),
    )
