"""The change that one pass makes to a kernel, as a diff of the IR with the pass's decisions.

--- before tritongpu-coalesce
+++ after tritongpu-coalesce
-    %x = tt.load %x_ptrs : tensor<1024x!tt.ptr<f32>, #blocked>
+    %x = tt.load %x_ptrs : tensor<1024x!tt.ptr<f32>, #blocked1>
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from weft.decisions import Decision
from weft.errors import WeftError, did_you_mean
from weft.explain.recorded_passes import record_passes
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.passes import Pass

if TYPE_CHECKING:
    from weft.compiler.signature import Signature

__all__ = ["pass_difference"]


def pass_difference(
    kernel: object,
    target: str,
    pass_name: str,
    *,
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> str:
    """Format what each run of a pass changes, and what it decided.

    Args:
        kernel: A kernel, or the path of a file of TTIR.
        target: "cuda:90", ….
        pass_name: The name of the pass.
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        options: Compile options.

    Raises:
        WeftError: The target's pipeline does not have the pass, and all errors of `weft.compile`.
    """
    texts: list[tuple[str, str]] = []

    def observe(pass_: Pass | None, module: ModuleOp) -> None:
        name = "" if pass_ is None else pass_.name
        texts.append((name, print_module(module, names=True)))

    recording = record_passes(
        kernel,
        target,
        signature=signature,
        constexprs=constexprs,
        options=options,
        observe=observe,
    )
    names = list(dict.fromkeys(name for name, _ in texts if name))
    if pass_name not in names:
        raise WeftError(
            f"no pass {pass_name} runs on this kernel",
            found=pass_name,
            accepted=names,
            hint=did_you_mean(pass_name, names),
        )
    decisions = [each for each in recording.decisions if each.stage == pass_name]
    lines = [*_differences(texts, pass_name), *_decisions(decisions)]
    return "\n".join(lines) + "\n"


def _differences(texts: list[tuple[str, str]], pass_name: str) -> Iterator[str]:
    runs = [index for index, (name, _) in enumerate(texts) if name == pass_name]
    for number, index in enumerate(runs, 1):
        run = f"{pass_name} (run {number} of {len(runs)})" if len(runs) > 1 else pass_name
        before, after = (texts[each][1].splitlines() for each in (index - 1, index))
        if before == after:
            yield f"{run} changes nothing"
        else:
            names = f"before {run}", f"after {run}"
            yield from unified_diff(before, after, *names, lineterm="")


def _decisions(decisions: list[Decision]) -> Iterator[str]:
    """Yield each distinct decision on a line."""
    if decisions:
        yield "decisions:"
    for decision in dict.fromkeys(decisions):
        _, _, place = decision.location.rpartition("/")
        head = f"  {decision.op}" + (f" at {place}" if place else "")
        yield f"{head}: {decision.choice}"
        yield f"    {decision.reason}"
