"""A child process for the tests of compiler_process.py: it answers with its compiler, or ends."""

from __future__ import annotations

import os
import sys

from benchmarks.compiler_process import Answer, serve


def _answer(request: Answer) -> Answer:
    if request.get("end"):
        os._exit(3)
    return {"compiler": sys.argv[sys.argv.index("--serve") + 1], "request": request["number"]}


if __name__ == "__main__":
    serve(_answer)
