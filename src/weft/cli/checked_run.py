"""`weft run --check`: run a program, and report what its kernels do without a defined result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from weft.cli.output import note, write
from weft.launch.checking import check_launches
from weft.testing.sanitizing import Sanitizer

__all__ = ["run_checked"]


def run_checked(program: Callable[[], None], as_json: bool, output: str) -> int:
    """Run a program with checked launches, and write the report, even if the program fails.

    Args:
        program: Runs the program.
        as_json: Whether to report JSON.
        output: The file of the report; "-" for stderr, and for stdout with JSON.

    Returns:
        The number of findings.
    """
    sanitizer = Sanitizer()
    try:
        with check_launches(sanitizer):
            program()
    except SystemExit as error:
        if error.code or not sanitizer.findings:
            raise  # else the findings decide the exit code
    finally:
        _report(sanitizer, as_json, output)
    return len(sanitizer.findings)


def _report(sanitizer: Sanitizer, as_json: bool, output: str) -> None:
    if as_json:
        findings = [
            each.as_json() | {"count": sanitizer.count(each)} for each in sanitizer.findings
        ]
        document = {
            "launches": sanitizer.launches,
            "programs": sanitizer.programs,
            "findings": findings,
        }
        write(json.dumps(document, indent=2), output)
        return
    text = "\n\n".join(_text(sanitizer, number) for number in range(len(sanitizer.findings)))
    if output != "-":
        write(text, output)
    elif text:
        print(text, file=sys.stderr)
    count, launches = len(sanitizer.findings), sanitizer.launches
    note(
        f"checked {launches} launch{'' if launches == 1 else 'es'} of {sanitizer.programs} "
        f"program{'' if sanitizer.programs == 1 else 's'}: "
        f"{count} finding{'' if count == 1 else 's'}"
        if launches
        else "nothing was checked: no kernel ran on the CPU device"
    )


def _text(sanitizer: Sanitizer, number: int) -> str:
    finding = sanitizer.findings[number]
    count = sanitizer.count(finding)
    return f"{finding}\n  times: {count}" if count > 1 else str(finding)
