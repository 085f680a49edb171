"""Parse and verify modules with Triton's wheel, in processes that may abort.

    python -m tests.oracle.mutants.wheel < modules.json > verdicts.jsonl

The input is a JSON list of texts. A forked process answers one text after another; when it has
aborted, which counts as a refusal, another one continues after the text that it was at.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import Any, TextIO

from triton._C.libtriton import amd, ir, nvidia

SECONDS = 10
"""The time for one text; then its process is killed."""


def new_context() -> Any:
    """Create an MLIR context with the dialects of all back ends."""
    context = ir.context()
    ir.load_dialects(context)
    amd.load_dialects(context)
    nvidia.load_dialects(context)
    return context


def answer(texts: list[str], start: int, errors: TextIO, answers: TextIO) -> None:
    """Write the verdict on each text from `start` on; the process may end at any of them."""
    context = new_context()
    with tempfile.NamedTemporaryFile("w+", suffix=".mlir") as file:
        for index in range(start, len(texts)):
            for stream in (file, errors):
                stream.seek(0)
                stream.truncate()
            file.write(texts[index])
            file.flush()
            signal.alarm(SECONDS)
            try:
                ir.parse_mlir_module(file.name, context)
                accepted = True
            except RuntimeError:
                accepted = False
            signal.alarm(0)
            print(json.dumps([index, accepted, read(errors)]), file=answers, flush=True)


def read(errors: TextIO) -> str:
    """Read what MLIR has written about a text."""
    errors.seek(0)
    return errors.read()[:2000]


def main() -> None:
    """Answer for the texts on standard input."""
    texts: list[str] = json.load(sys.stdin)
    done = 0
    with tempfile.TemporaryFile("w+") as errors:
        while done < len(texts):
            reading, writing = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(reading)
                os.dup2(errors.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                with os.fdopen(writing, "w") as answers:
                    answer(texts, done, errors, answers)
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading) as answers:
                for line in answers:
                    sys.stdout.write(line)
                    done = json.loads(line)[0] + 1
            os.waitpid(process, 0)
            if done < len(texts):
                message = f"aborted: {read(errors)}"
                print(json.dumps([done, False, message]), flush=True)
                done += 1


if __name__ == "__main__":
    main()
