"""Ask weft and Triton's wheel whether they accept modules."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.errors import WeftError
from weft.ir.text import parse_module
from weft.ir.verifier import verify

ROOT = Path(__file__).parents[3]
_LOCATED = re.compile(r"^(?:loc\(.*?\)|[^\s:]+:\d+:\d+): error: (.*)$", re.MULTILINE)
_ABORTED = re.compile(r"(?:Assertion `(.*)' failed|LLVM ERROR: (.*)|UNREACHABLE.*?: (.*))")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one side.

    Attributes:
        accepted: Whether the module was parsed and verified.
        message: The first error, "" if accepted.
        crashed: Whether the side ended otherwise than by an error about the module.
    """

    accepted: bool
    message: str = ""
    crashed: bool = False


def ask_weft(text: str) -> Verdict:
    """Parse and verify a module with weft."""
    try:
        verify(parse_module(text))
    except WeftError as error:
        return Verdict(False, error.message)
    except Exception as error:  # a defect of weft, which the table reports
        return Verdict(False, f"{type(error).__name__}: {error}", crashed=True)
    return Verdict(True)


def ask_wheel(texts: Sequence[str]) -> list[Verdict]:
    """Parse and verify modules with Triton's wheel; an abort counts as a refusal."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.oracle.mutants.wheel"],
        cwd=ROOT,
        input=json.dumps(list(texts)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    verdicts: list[Verdict] = []
    for line in process.stdout.splitlines():
        _, accepted, output = json.loads(line)
        verdicts.append(Verdict(True) if accepted else _refusal(output))
    return verdicts


def _refusal(output: str) -> Verdict:
    if output.startswith("aborted: "):
        match = _ABORTED.search(output)
        reason = next(filter(None, match.groups()), "") if match else output[9:200].strip()
        return Verdict(False, f"aborted: {reason}", crashed=True)
    match = _LOCATED.search(output)
    return Verdict(False, match[1] if match else output[:200].strip())
