"""From a kernel or a file of IR to a report: compile with the ledger open, then read both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.decisions import collecting
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.explain.model import Report
    from weft.ir.builtin import ModuleOp

__all__ = ["explain"]


def explain(
    kernel: Any,
    *,
    target: str | None = None,
    stop_after: str = "final",
    signature: Any = None,
    constexprs: Any = None,
    **options: Any,
) -> Report:
    """Say how a kernel's tensors are laid out, why, and what that costs.

    Args: kernel: of weft.jit or Triton's jit, or the path of a .ttir, .ttgir or .mlir file. IR that
          has layouts already is read as it is; its ledger is what can be read back from it.
          target: "hip:gfx942"; IR with layouts says it itself.
          stop_after: the stage to report on.  signature, constexprs, options: see weft.compile.
    Raises: as weft.compile; PassError for layouts of another target.
    """
    if isinstance(kernel, str | Path) and (module := _with_layouts(Path(kernel))) is not None:
        return _read(module, target)
    if target is None:
        raise WeftError(
            "a target is needed to compile for",
            accepted=["--target hip:gfx942", "--target cuda:90"],
        )
    return _compiled(kernel, target, stop_after, signature, constexprs, options)


def _with_layouts(path: Path) -> ModuleOp | None:
    """Return the module of a file that has layouts, None for TTIR."""
    from weft.ir.text import parse_module
    from weft.ir.verifier import verify

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WeftError("cannot read the file", found=f"{path}: {error.strerror}") from None
    module = parse_module(text, str(path))
    if "ttg.num-warps" not in module.attributes:
        return None
    verify(module)
    return module


def _read(module: ModuleOp, name: str | None) -> Report:
    from weft.compiler.remaining_stages import check_target
    from weft.explain.reading import report
    from weft.targets import target

    if name is not None:
        check_target(module, target(name))
    if "ttg.target" not in module.attributes:
        raise WeftError('missing module attribute "ttg.target"')
    return report(module)


def _compiled(
    kernel: Any,
    name: str,
    stop_after: str,
    signature: Any,
    constexprs: Any,
    options: dict[str, Any],
) -> Report:
    from weft.compiler.options import options_for
    from weft.compiler.remaining_stages import remaining_passes
    from weft.explain.history import History
    from weft.explain.reading import report
    from weft.kernel.compile import compile
    from weft.passes import run_pipeline
    from weft.targets import target

    chip = target(name)
    compiled = compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=chip,
        stop_after="ttir",
        **options,
    )
    module = compiled.module("ttir")
    if stop_after in ("source", "ttir"):
        raise WeftError(
            "there are no layouts yet", found=stop_after, accepted=["convert", "layout", "final"]
        )
    passes = remaining_passes(module, stop_after, chip, options_for(chip, options))
    with collecting() as decisions:
        history = History(decisions)
        run_pipeline(passes, module, after=history.note)
    return report(module, history, decisions)
