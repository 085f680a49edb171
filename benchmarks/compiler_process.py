"""A child process in which `import triton` is Triton or weft, and which answers requests.

    with Processes("benchmarks.real_packages", ["--packages", "packages"], "cuda") as processes:
        process = processes.start()["weft"]
        process.ask({"run": "liger softmax"}, seconds=60)      # {"error": …} or the answer

The child reads one JSON object per line and answers with one; what it prints otherwise goes to
stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = [
    "COMPILERS",
    "Answer",
    "CompilerProcess",
    "Processes",
    "add_options",
    "each_name",
    "serve",
]

ROOT = Path(__file__).parents[1]
IMPORT_PATH = ROOT / "src" / "weft" / "compat" / "import_path"
COMPILERS = ("weft", "triton")
Answer = dict[str, Any]


class CompilerProcess:
    """A child process with one of the two compilers.

    Args:
        compiler: "weft" or "triton".
        module: The module that it runs.
        arguments: Its arguments.
        folder: A folder for its caches; a later process of this compiler may use it, too.
    """

    def __init__(self, compiler: str, module: str, arguments: Sequence[str], folder: Path) -> None:
        self.compiler = compiler
        paths = [str(ROOT / "src"), str(ROOT)]
        if compiler == "weft":
            paths.insert(0, str(IMPORT_PATH))
        others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        paths += [path for path in others if path and path not in (*paths, str(IMPORT_PATH))]
        caches = {
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
            "TRITON_CACHE_DIR": str(folder / "triton"),
            "WEFT_CACHE_DIR": str(folder / "weft"),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, "--serve", compiler, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={
                **{name: value for name, value in os.environ.items() if name != "WEFT_AS_TRITON"},
                **caches,
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

    def close(self) -> None:
        """End the process."""
        try:
            self._process.communicate(timeout=10)  # closes its input, which ends it
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


class Processes:
    """A child process for each compiler, each with its caches.

    Args:
        module: The module that the children run.
        arguments: Their arguments.
        device: "cuda", or "cpu": without a GPU there is no Triton, and weft beside itself tests the
            harness.
    """

    def __init__(self, module: str, arguments: Sequence[str], device: str) -> None:
        self._module, self._arguments, self._device = module, arguments, device
        self._folder = tempfile.TemporaryDirectory(prefix="weft-")
        self._processes: dict[str, CompilerProcess] = {}

    def start(self) -> dict[str, CompilerProcess]:
        """Start the processes that are not alive, and get all of them."""
        for compiler in COMPILERS:
            process = self._processes.get(compiler)
            if process is None or not process.is_alive:
                if process is not None:
                    process.close()
                kind = "weft" if self._device == "cpu" else compiler
                self._processes[compiler] = CompilerProcess(
                    kind, self._module, self._arguments, Path(self._folder.name) / compiler
                )
        return self._processes

    def end(self) -> None:
        """End the processes; `start` starts new ones with the same caches."""
        for process in self._processes.values():
            process.close()
        self._processes = {}

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()
        self._folder.cleanup()


def add_options(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add the options of a comparison of compilers.

    Args:
        parser: The parser.
        noun: What is compared, for the help: "operation".
    """
    parser.add_argument("--only", default="", help=f"regular expression for an {noun}'s name")
    parser.add_argument("--json", default="", help="a file for the rows")
    parser.add_argument("--seconds", type=float, default=1500.0, help=f"start no {noun} later")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--serve", choices=COMPILERS, help=argparse.SUPPRESS)


def each_name(names: Iterable[str], arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the names that the options select, until `--seconds` have passed."""
    deadline = time.monotonic() + arguments.seconds
    for name in names:
        if re.search(arguments.only, name) and time.monotonic() <= deadline:
            yield name


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
