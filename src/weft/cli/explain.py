"""`weft explain`: why each tensor is laid out as it is, and what that costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft.cli.compile import Request as CompileRequest
from weft.cli.compile import assignments, case_of
from weft.cli.report import console, write
from weft.errors import WeftError
from weft.explain.model import Report

_IR_FILES = (".ttir", ".ttgir", ".mlir")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    file: str
    target: str | None
    signature: str | None
    constexprs: Mapping[str, Any]
    case: int | None
    options: Mapping[str, Any]
    stop_after: str
    as_json: bool
    line: int | None
    value: str | None
    against: str | None
    output: str


def run(request: Request) -> None:
    """Write the report, or the comparison, that `request` asks for.

    Raises: WeftError of every kind; see weft.explain.explain.
    """
    found = _narrowed(_report(request, request.file, request.target, request.options), request)
    if request.against is not None:
        _compare(found, request)
    elif request.as_json:
        from weft.explain.json import as_json

        write(as_json(found), request.output)
    else:
        _print(found, request)


def _print(found: Report, request: Request) -> None:
    from weft.explain.text import renderable, text

    details = request.line is not None or request.value is not None
    if request.output == "-" and sys.stdout.isatty():
        console().print(renderable(found, details=details))
    else:
        write(text(found, details=details), request.output)


def _report(request: Request, file: str, target: str | None, options: Mapping[str, Any]) -> Report:
    from weft.explain import explain

    asked = CompileRequest(
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
    case = case_of(asked)
    return explain(
        case.kernel,
        target=target,
        stop_after=request.stop_after,
        signature=case.signature or None,
        constexprs=case.constexprs,
        **case.options,
    )


def _narrowed(report: Report, request: Request) -> Report:
    from weft.explain.narrowing import of_line, of_value

    if request.line is not None:
        report = of_line(report, request.line)
    if request.value is not None:
        report = of_value(report, request.value)
    return report


def _compare(found: Report, request: Request) -> None:
    """Compare with a file, with another target, or with other options."""
    from weft.explain.against import compare

    other = str(request.against)
    if other.partition("::")[0].endswith((".py", *_IR_FILES)):
        report = _report(request, other, request.target, request.options)
    elif "=" in other:
        options = assignments(filter(None, other.replace(",", " ").split()), "--against")
        report = _report(request, request.file, request.target, {**request.options, **options})
    else:
        if request.file.endswith(".ttgir"):
            raise WeftError(
                "IR with layouts is made for one target", found=f"--against {other}",
                accepted=["--against OTHER.ttgir"],
            )  # fmt: skip
        report = _report(request, request.file, other, request.options)
    compared = compare(found, _narrowed(report, request), request.file, other)
    if request.as_json:
        write(json.dumps(compared.as_object(), indent=1, ensure_ascii=False) + "\n", request.output)
    else:
        write(compared.text(), request.output)
