"""`weft explain`: why each tensor has its layout, and what that costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from weft.cli.compile import Request as CompileRequest
from weft.cli.compile import find_case, parse_assignments
from weft.cli.report import console, write
from weft.errors import WeftError
from weft.explain.model import Report

_IR_FILES = (".ttir", ".ttgir", ".mlir")


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see app.py."""

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
    against: str | None
    output: str


def run(request: Request) -> None:
    """Write the requested report or comparison.

    Raises:
        WeftError: As `weft.explain.explain`.
    """
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
        console().print(render(report, details=details))
    else:
        write(text(report, details=details), request.output)


def _explain(
    request: Request, file: str, target: str | None, options: Mapping[str, object]
) -> Report:
    from weft.explain import explain

    compile_request = CompileRequest(
        file=file,
        target=target or "",
        signature=request.signature,
        constexprs=request.constexprs,
        case=request.case,
        options=options,
        emit=None,
        stop_after=None,
        locations=False,
        output="-",
    )
    case = find_case(compile_request)
    return explain(
        case.kernel,
        target=target,
        stop_after=request.stop_after,
        signature=case.signature or None,
        constexprs=case.constexprs,
        **case.options,
    )


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
    if against.partition("::")[0].endswith((".py", *_IR_FILES)):
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
