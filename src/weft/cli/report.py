"""`weft report`: a kernel's source, IR, machine code, layouts and costs as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from weft.cli.compile import Request as CompileRequest
from weft.cli.compile import find_case
from weft.cli.ir_files import DUMP, IR_FILES
from weft.cli.output import note, write
from weft.cli.program_launches import launched_cases
from weft.errors import WeftError
from weft.kernel.files import Case
from weft.report.html_page import page_of
from weft.report.view import view_of


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see commands/report.py."""

    files: Sequence[str]
    targets: Sequence[str]
    signature: str | None
    constexprs: Mapping[str, object]
    case: int | None
    options: Mapping[str, object]
    launches: bool
    arguments: Sequence[str]
    optimum: bool
    output: str


def run(request: Request) -> None:
    """Write the page.

    Raises:
        WeftError: There is no target, a file cannot be read, and all errors of `weft.compile`.
    """
    cases = _launched(request) if request.launches else _named(request)
    views = [
        view_of(
            case.kernel,
            target,
            _label(name, target, cases, request.targets),
            signature=case.signature or None,
            constexprs=case.constexprs,
            options=case.options,
            optimum=request.optimum,
        )
        for name, case in cases
        for target in _targets(case, request.targets)
    ]
    write(page_of(views).html(), request.output)
    if request.output != "-":
        note(f"open {Path(request.output).absolute().as_uri()}")


def _named(request: Request) -> list[tuple[str, Case]]:
    """Find the kernel of each file."""
    if request.arguments:
        raise WeftError(
            "arguments are those of a program", found=" ".join(request.arguments),
            accepted=["--launches"],
        )  # fmt: skip
    common = CompileRequest(
        file="",
        target="",
        signature=request.signature,
        constexprs=request.constexprs,
        case=request.case,
        options=request.options,
        emit=None,
        stop_after=None,
        locations=False,
        output="-",
    )
    cases: list[tuple[str, Case]] = []
    for file in request.files:
        # A signature and options are those of a kernel; a dump beside it has its own.
        is_ir = file.endswith(IR_FILES) and len(request.files) > 1
        own = replace(common, signature=None, constexprs={}, case=None) if is_ir else common
        cases.append((file, find_case(replace(own, file=file))))
    return cases


def _launched(request: Request) -> list[tuple[str, Case]]:
    """Run a program on the CPU device, and list its kernels with the signatures of its launches."""
    if len(request.files) != 1 or request.signature or request.constexprs or request.case:
        raise WeftError(
            "--launches takes one program, whose launches have the signatures",
            found=" ".join(request.files),
        )
    return launched_cases(request.files[0], request.arguments, request.options)


def _targets(case: Case, targets: Sequence[str]) -> Sequence[str | None]:
    is_dump = isinstance(case.kernel, str) and case.kernel.endswith(DUMP)
    return (None,) if is_dump else targets or (None,)


def _label(name: str, target: str | None, cases: Sequence[object], targets: Sequence[str]) -> str:
    """Name a view by what distinguishes it: its file, its target, or both."""
    if target is None or (len(cases) > 1 and len(targets) < 2):
        return name
    return target if len(cases) == 1 else f"{name}, {target}"
