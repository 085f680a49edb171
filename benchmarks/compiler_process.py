"""A child process in which `import triton` is Triton or weft, and which answers requests.

    with CompilerProcess("weft", "benchmarks.real_packages", ["--device", "cuda"]) as process:
        process.ask({"run": "liger softmax"}, seconds=60)      # {"error": …} or the answer

The child reads one JSON object per line and answers with one; what it prints otherwise goes to
stderr.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["COMPILERS", "CompilerProcess", "serve"]

ROOT = Path(__file__).parents[1]
IMPORT_PATH = ROOT / "src" / "weft" / "compat" / "import_path"
COMPILERS = ("weft", "triton")
Answer = dict[str, Any]


class CompilerProcess:
    """A child process with one of the two compilers and separate caches."""

    def __init__(self, compiler: str, module: str, arguments: Sequence[str]) -> None:
        self.compiler = compiler
        self._directory = tempfile.TemporaryDirectory(prefix=f"{compiler}-")
        paths = [str(ROOT / "src"), str(ROOT)]
        if compiler == "weft":
            paths.insert(0, str(IMPORT_PATH))
        others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        paths += [path for path in others if path and path not in (*paths, str(IMPORT_PATH))]
        caches = {
            name: os.path.join(self._directory.name, name)
            for name in ("TORCHINDUCTOR_CACHE_DIR", "WEFT_CACHE_DIR")
        }
        triton_cache = os.path.join(self._directory.name, "triton")
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, "--serve", compiler, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={
                **{name: value for name, value in os.environ.items() if name != "WEFT_AS_TRITON"},
                **caches,
                "TRITON_CACHE_DIR": triton_cache,
                "PYTHONPATH": os.pathsep.join(paths),
            },
        )

    def ask(self, request: Answer, seconds: float) -> Answer:
        """Send a request; the answer has "error" if there is none in time or the child ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(max(seconds, 1.0), self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            return {"error": f"the process ended ({self._process.wait()})"}
        return json.loads(line)

    @property
    def is_alive(self) -> bool:
        """Whether it can answer."""
        return self._process.poll() is None

    def __enter__(self) -> CompilerProcess:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._directory.cleanup()


def serve(answer: Callable[[Answer], Answer]) -> None:
    """Answer requests until the input ends; an exception is an answer, too."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            text = f"{type(error).__name__}: {error}".strip()
            reply = {"error": text[:2000]}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()
