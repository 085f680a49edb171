"""`weft compile`: print the IR or the machine code of a kernel."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.cli.ir_files import IR_FILES
from weft.cli.layout_values import parse_layout
from weft.cli.output import console, note, write, write_bytes
from weft.compiler.machine_code import BINARY_STAGES, CODE_STAGES, emit_code, start_llvm
from weft.compiler.type_names import language_dtype, scalar_name
from weft.errors import SignatureError, WeftError, did_you_mean
from weft.ir.builtin import ModuleOp
from weft.kernel.files import Case, find_kernel, load_cases, load_file

_LAYOUTS = "layouts"
_STAGES = ("source", "ttir", "ttgir", _LAYOUTS, *CODE_STAGES)


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see commands/compile.py."""

    file: str
    target: str
    signature: str | None
    constexprs: Mapping[str, object]
    case: int | None
    options: Mapping[str, object]
    emit: str | None
    stop_after: str | None
    locations: bool
    output: str


def parse_assignments(items: Iterable[str], option: str) -> dict[str, object]:
    """Parse NAME=VALUE; a value is a literal, an element type (tl.fp16), a layout, or text.

    Args:
        items: The assignments.
        option: The flag that they are from, for messages.

    Raises:
        WeftError: An item without "=".
    """
    values: dict[str, object] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise WeftError(
                f"{option} takes NAME=VALUE", found=item, accepted=[f"{option} BLOCK=128"]
            )
        values[name.strip()] = _parse_value(value.strip())
    return values


def _parse_value(text: str) -> object:
    if text.startswith("tl.") and (name := scalar_name(text)):
        return language_dtype(name)
    if text.startswith("gl."):
        return parse_layout(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def run(request: Request) -> None:
    """Compile a kernel and write the requested stage.

    Raises:
        WeftError: As `weft.compile`, or a stage that the kernel does not have.
    """
    import weft

    if request.emit not in (None, *_STAGES):
        raise WeftError(
            f"unknown stage {request.emit}",
            found=f"--emit {request.emit}",
            accepted=_STAGES,
            hint=did_you_mean(str(request.emit), _STAGES),
        )
    needs_code = request.emit in CODE_STAGES
    if request.locations and request.emit not in (None, "ttir", "ttgir"):
        raise WeftError(
            "--locations needs IR",
            found=f"--emit {request.emit}",
            accepted=["--emit ttir", "--emit ttgir"],
        )
    if needs_code:
        start_llvm(weft.targets.target(request.target).llvm_cpu if request.emit == "cubin" else "")
    case = find_case(request)
    stop_after = "ttgir" if request.emit == _LAYOUTS or needs_code else request.emit
    compiled = weft.compile(
        case.kernel,
        signature=case.signature or None,
        constexprs={**case.constexprs},
        target=request.target,
        stop_after=request.stop_after or stop_after,
        options=case.options,
    )
    stage = stop_after or list(compiled.asm)[-1]
    if stage not in compiled.asm:
        raise WeftError(
            f"{compiled.name} is not compiled to {stage}",
            found=f"--stop-after {request.stop_after}",
            accepted=[f"--emit {each}" for each in compiled.asm],
        )
    if request.emit == _LAYOUTS:
        _write_layouts(compiled.module(stage), request.output)
    elif needs_code:
        code = emit_code(compiled.module(stage), str(request.emit), compiled.metadata.options)
        if request.emit in BINARY_STAGES:
            write_bytes(code, request.output)
        else:
            write(code.decode(), request.output)
    else:
        write(compiled.text(stage, locations=request.locations), request.output)


def _write_layouts(module: ModuleOp, output: str) -> None:
    from weft.explain.inventory import inventory
    from weft.explain.inventory_tables import tables, text

    layouts = inventory(module)
    if output == "-" and sys.stdout.isatty():
        console().print(tables(layouts))
    else:
        write(text(layouts), output)


def find_case(request: Request) -> Case:
    """Find the kernel to compile and its signature: on the command line, or in the file's CASES.

    Raises:
        WeftError: There is no such file, kernel or case.
        SignatureError: A constant on the command line that the case does not have.
    """
    path, separator, name = request.file.partition("::")
    if path.endswith(IR_FILES):
        _check_no_kernel_options(request)
        return Case(path, "", {}, request.options)
    module = load_file(path)
    cases = load_cases(module)
    if request.case is not None and request.signature is None and cases and not separator:
        return _select_case(request, cases)
    kernel = find_kernel(module, name if separator else None)
    if request.signature is not None:
        return Case(kernel, request.signature, request.constexprs, request.options)
    kernel_cases = [case for case in cases if case.kernel is kernel]
    if kernel_cases:
        return _select_case(request, kernel_cases)
    if request.case is not None:
        raise WeftError(f"{path} has no CASES of this kernel", found=f"--case {request.case}")
    return Case(kernel, "", request.constexprs, request.options)


def _check_no_kernel_options(request: Request) -> None:
    for option, value in (
        ("--signature", request.signature),
        ("--constexpr", request.constexprs),
        ("--case", request.case),
    ):
        if value not in (None, {}):
            raise WeftError(
                f"{option} needs a kernel, not IR", found=request.file, accepted=["FILE.py"]
            )


def _select_case(request: Request, cases: list[Case]) -> Case:
    """Select a case by its number, and add constants and options of the command line."""
    number = request.case or 0
    if not 0 <= number < len(cases):
        raise WeftError(
            f"CASES has no entry {number}",
            found=f"--case {number}",
            accepted=[f"--case {n}: {case.signature}" for n, case in enumerate(cases)],
        )
    case = cases[number]
    if request.case is None:
        note(f'--signature "{case.signature}" (CASES[0] of {len(cases)}; select one by --case N)')
    if unknown := sorted(request.constexprs.keys() - case.constexprs.keys()):
        raise SignatureError(
            "--constexpr without --signature can only set constants that the case names",
            found=", ".join(unknown),
            accepted=list(case.constexprs) or ["--signature"],
        )
    return Case(
        case.kernel,
        case.signature,
        {**case.constexprs, **request.constexprs},
        {**case.options, **request.options},
    )
