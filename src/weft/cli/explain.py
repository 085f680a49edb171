"""`weft explain`: why each tensor has its layout, and what that costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.cli.compile import Request as CompileRequest
from weft.cli.compile import find_case, parse_assignments
from weft.cli.ir_files import IR_FILES
from weft.cli.output import console, write
from weft.errors import WeftError
from weft.explain.model import Report
from weft.kernel.files import Case


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see commands/explain.py."""

    file: str
    target: str | None
    signature: str | None
    constexprs: Mapping[str, object]
    case: int | None
    options: Mapping[str, object]
    stop_after: str
    as_json: bool
    line: int | None
    value: str | None
    values: bool
    against: str | None
    difference: str | None
    settings: Sequence[str]
    assumptions: Sequence[str]
    trials: int
    launches: bool
    optimum: bool
    arguments: Sequence[str]
    output: str


def run(request: Request) -> None:
    """Write the requested report or comparison.

    Raises:
        WeftError: As `weft.explain.explain`.
    """
    if request.difference is not None:
        _print_difference(request, request.difference)
        return
    if request.launches:
        _print_launches(request)
        return
    if request.settings or request.assumptions:
        _print_what_if(request)
        return
    if request.arguments:
        raise WeftError(
            "arguments are those of a program", found=" ".join(request.arguments),
            accepted=["--launches"],
        )  # fmt: skip
    report = _filter(_explain(request, request.file, request.target, request.options), request)
    if request.against is not None:
        _compare(report, request)
    elif request.as_json:
        from weft.explain.json_report import as_json

        write(as_json(report), request.output)
    else:
        _print(report, request)


def _print(report: Report, request: Request) -> None:
    from weft.explain.text_report import render, text

    details = request.line is not None or request.value is not None
    if request.output == "-" and sys.stdout.isatty():
        console().print(render(report, details=details, values=details or request.values))
    else:
        write(text(report, details=details, values=details or request.values), request.output)


def _explain(
    request: Request, file: str, target: str | None, options: Mapping[str, object]
) -> Report:
    from weft.explain import explain

    case = _case(request, file, options)
    return explain(
        case.kernel,
        target=target,
        stop_after=request.stop_after,
        signature=case.signature or None,
        constexprs=case.constexprs,
        trials=request.trials,
        assemble=request.against is None,
        optimum=request.optimum,
        **case.options,
    )


def _print_what_if(request: Request) -> None:
    """Print the difference that layouts, options and assumptions make."""
    from weft.explain.what_if import what_if

    conflicts = {
        "--against": request.against,
        "--line": request.line,
        "--value": request.value,
        "--argument": request.arguments or None,
    }
    for flag, value in conflicts.items():
        if value is not None:
            raise WeftError(
                f"{flag} cannot be combined with --set and --assume", found=f"{flag} {value}"
            )
    case = _case(request, request.file, request.options)
    difference = what_if(
        case.kernel,
        request.target,
        request.settings,
        request.assumptions,
        signature=case.signature or None,
        constexprs=case.constexprs,
        options=case.options,
    )
    if request.as_json:
        text = json.dumps(difference.as_object(), indent=1, ensure_ascii=False) + "\n"
    else:
        text = difference.text()
    write(text, request.output)


def _print_launches(request: Request) -> None:
    """Print the report of each kernel that a program launches."""
    from weft.cli.program_launches import launched_cases
    from weft.explain import explain
    from weft.explain.json_report import as_object
    from weft.explain.text_report import text

    if request.signature or request.constexprs or request.case is not None or request.against:
        raise WeftError(
            "--launches takes a program, whose launches have the signatures", found=request.file
        )
    cases = launched_cases(request.file, request.arguments, request.options)
    reports = [
        explain(
            case.kernel,
            target=request.target,
            stop_after=request.stop_after,
            signature=case.signature,
            trials=request.trials,
            optimum=request.optimum,
            **case.options,
        )
        for _, case in cases
    ]
    if request.as_json:
        write(json.dumps([as_object(each) for each in reports], indent=1) + "\n", request.output)
        return
    parts = [
        f"{name}\n{text(report, values=request.values)}"
        for (name, _), report in zip(cases, reports, strict=True)
    ]
    write("\n".join(parts), request.output)


def _print_difference(request: Request, pass_name: str) -> None:
    """Print the change that one pass makes."""
    from weft.explain.pass_difference import pass_difference

    if request.target is None or request.file.endswith(".ttgir"):
        raise WeftError(
            "--diff needs a kernel whose passes run, and a target",
            found=request.file if request.target else "no --target",
            accepted=["FILE.py --target cuda:90 --diff tritongpu-coalesce"],
        )
    case = _case(request, request.file, request.options)
    difference = pass_difference(
        case.kernel,
        request.target,
        pass_name,
        signature=case.signature or None,
        constexprs=case.constexprs,
        options=case.options,
    )
    write(difference, request.output)


def _case(request: Request, file: str, options: Mapping[str, object]) -> Case:
    """Find the kernel of a file and its signature."""
    compile_request = CompileRequest(
        file=file,
        target=request.target or "",
        signature=request.signature,
        constexprs=request.constexprs,
        case=request.case,
        options=options,
        emit=None,
        stop_after=None,
        locations=False,
        output="-",
    )
    return find_case(compile_request)


def _filter(report: Report, request: Request) -> Report:
    """Restrict a report to the requested line and value."""
    from weft.explain.filtering import filter_by_line, filter_by_value

    if request.line is not None:
        report = filter_by_line(report, request.line)
    if request.value is not None:
        report = filter_by_value(report, request.value)
    return report


def _compare(report: Report, request: Request) -> None:
    """Compare with another file, another target, or other options."""
    from weft.explain.comparison import compare

    against = str(request.against)
    if against.partition("::")[0].endswith((".py", *IR_FILES)):
        other = _explain(request, against, request.target, request.options)
    elif "=" in against:
        items = filter(None, against.replace(",", " ").split())
        options = {**request.options, **parse_assignments(items, "--against")}
        other = _explain(request, request.file, request.target, options)
    else:
        if request.file.endswith(".ttgir"):
            raise WeftError(
                "TTGIR is compiled for one target", found=f"--against {against}",
                accepted=["--against OTHER.ttgir"],
            )  # fmt: skip
        other = _explain(request, request.file, against, request.options)
    comparison = compare(report, _filter(other, request), request.file, against)
    if request.as_json:
        text = json.dumps(comparison.as_object(), indent=1, ensure_ascii=False) + "\n"
    else:
        text = comparison.text()
    write(text, request.output)
