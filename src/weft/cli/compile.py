"""`weft compile`: from a file with a kernel to its IR, or to machine code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weft.cli.report import console, note, write, write_bytes
from weft.compiler.machine_code import BINARY_STAGES, CODE_STAGES, emit_code, start_llvm
from weft.compiler.type_names import language_dtype, scalar_name
from weft.errors import SignatureError, WeftError, did_you_mean
from weft.kernel.files import Case, find_kernel, load_cases, load_file

_IR_FILES = (".ttir", ".ttgir", ".mlir")
_LAYOUTS = "layouts"
_EMITS = ("source", "ttir", "ttgir", _LAYOUTS, *CODE_STAGES)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    file: str
    target: str
    signature: str | None
    constexprs: Mapping[str, Any]
    case: int | None
    options: Mapping[str, Any]
    emit: str | None
    stop_after: str | None
    locations: bool
    output: str


def assignments(given: Iterable[str], option: str) -> dict[str, Any]:
    """Read NAME=VALUE; a value is a Python literal, an element type such as tl.fp16, or text.

    Raises: WeftError: no "=" in it.
    """
    found: dict[str, Any] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise WeftError(
                f"{option} takes a name and a value", found=item, accepted=[f"{option} BLOCK=128"]
            )
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    if text.startswith("tl.") and (name := scalar_name(text)):
        return language_dtype(name)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def run(request: Request) -> None:
    """Compile and write what `request` asks for.

    Raises: WeftError of every kind; see weft.compile.
    """
    import weft

    if request.emit not in (None, *_EMITS):
        raise WeftError(
            "cannot emit that",
            found=request.emit,
            accepted=_EMITS,
            hint=did_you_mean(str(request.emit), _EMITS),
        )
    machine_code = request.emit in CODE_STAGES
    if machine_code:
        start_llvm(weft.targets.target(request.target).llvm_cpu if request.emit == "cubin" else "")
    case = case_of(request)
    wanted = "ttgir" if request.emit == _LAYOUTS or machine_code else request.emit
    compiled = weft.compile(
        case.kernel,
        signature=case.signature or None,
        constexprs=case.constexprs,
        target=request.target,
        stop_after=request.stop_after or wanted,
        **case.options,
    )
    stage = wanted or list(compiled.asm)[-1]
    if stage not in compiled.asm:
        raise WeftError(
            f"{compiled.name} is not compiled to {stage}",
            found=f"--stop-after {request.stop_after}",
            accepted=[f"--emit {known}" for known in compiled.asm],
        )
    if request.emit == _LAYOUTS:
        _write_layouts(compiled.module(stage), request.output)
    elif machine_code:
        code = emit_code(compiled.module(stage), str(request.emit), compiled.metadata.options)
        if request.emit in BINARY_STAGES:
            write_bytes(code, request.output)
        else:
            write(code.decode(), request.output)
    else:
        write(compiled.text(stage, locations=request.locations), request.output)


def _write_layouts(module: Any, output: str) -> None:
    from weft.explain.inventory import inventory
    from weft.explain.tables import tables, text

    found = inventory(module)
    if output == "-" and sys.stdout.isatty():
        console().print(tables(found))
    else:
        write(text(found), output)


def case_of(request: Request) -> Case:
    """Return what to compile: from the command line, or from the file's CASES.

    Raises: WeftError: no such kernel or case; SignatureError.
    """
    path, separator, name = request.file.partition("::")
    if path.endswith(_IR_FILES):
        return Case(path, "", {}, request.options)
    module = load_file(path)
    listed = load_cases(module)
    if request.case is not None and request.signature is None and listed and not separator:
        return _offered(request, listed)
    kernel = find_kernel(module, name if separator else None)
    if request.signature is not None:
        return Case(kernel, request.signature, request.constexprs, request.options)
    offered = [case for case in listed if case.kernel is kernel]
    if not offered:
        if request.case is not None:
            raise WeftError(
                f"{path} offers no CASES of this kernel", found=f"--case {request.case}"
            )
        return Case(kernel, "", request.constexprs, request.options)
    return _offered(request, offered)


def _offered(request: Request, offered: list[Case]) -> Case:
    number = request.case or 0
    if not 0 <= number < len(offered):
        raise WeftError(
            "no such entry in CASES",
            found=f"--case {number}",
            accepted=[f"--case {at}: {case.signature}" for at, case in enumerate(offered)],
        )
    case = offered[number]
    if request.case is None:
        note(f'--signature "{case.signature}" (CASES[0] of {len(offered)}; --case N takes another)')
    if clash := sorted(request.constexprs.keys() - case.constexprs.keys()):
        raise SignatureError(
            "--constexpr without --signature changes the constants that the case names",
            found=", ".join(clash),
            accepted=list(case.constexprs) or ["--signature"],
        )
    return Case(
        case.kernel,
        case.signature,
        {**case.constexprs, **request.constexprs},
        {**case.options, **request.options},
    )
