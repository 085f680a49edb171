"""Compile kernels and run passes with Triton in another process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]


class TritonError(Exception):
    """Triton raised an error or its process ended; the text is its message."""


@dataclass(frozen=True, slots=True)
class Step:
    """One pass of Triton's pipeline: its MLIR name with options, and the IR before and after."""

    stage: str
    pipeline: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """The pass's name without its options and the function that it runs on."""
        return self.pipeline.removeprefix("tt.func(").partition("{")[0].rstrip(")")


@dataclass(frozen=True, slots=True)
class Trace:
    """Triton's IR from its front end, and each pass up to the conversion to TTGIR."""

    front: str
    steps: tuple[Step, ...]

    @property
    def ttir(self) -> str:
        """The IR after make_ttir: what the conversion reads."""
        return self.steps[-1].before

    @property
    def conversion(self) -> Step:
        """The conversion to TTGIR."""
        return self.steps[-1]


@dataclass(slots=True)
class Triton:
    """A worker process that runs Triton; it is restarted when Triton has aborted it.

    Attributes:
        process: The worker.
        errors: The standard error of the workers.
        reported: The offset in `errors` after the last reported text.
        traces: The answers of `trace`, by kernel file, index and target.
    """

    process: subprocess.Popen[str] | None = None
    errors: IO[str] = field(default_factory=lambda: tempfile.TemporaryFile("a+"))
    reported: int = 0
    traces: dict[tuple[Path, int, str], Trace] = field(default_factory=dict)

    def ask(self, question: str, *arguments: object) -> Any:
        """Send a question to the worker and wait for the answer.

        Args:
            question: A key of `tests.oracle.worker.ANSWERS`.
            *arguments: The arguments of that function, as JSON values.

        Raises:
            TritonError: Triton raised an error or aborted its process.
        """
        process = self.process
        if process is None or process.poll() is not None:
            process = self.process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([question, arguments]) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            for stream in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    stream.close()
            process.wait()
            raise TritonError(f"its process ended: {self._stderr_output()}")
        reply = json.loads(line)
        if "error" in reply:
            raise TritonError(f"{reply['error']} {self._stderr_output()}".strip())
        return reply["answer"]

    def _stderr_output(self) -> str:
        """Read what the worker wrote to its standard error since the last call."""
        self.errors.seek(self.reported)
        text = self.errors.read()
        self.reported = self.errors.tell()
        return text[-800:].strip()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.oracle.worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )

    def close(self) -> None:
        """End the worker."""
        if self.process:
            self.process.communicate()  # closes its standard input, which ends it
        self.errors.close()

    def cases(self, path: Path) -> list[dict[str, Any]]:
        """List {"kernel": name, "options": …} for each entry of a kernel file's CASES."""
        return self.ask("cases", str(path))

    def trace(self, path: Path, index: int, target: str) -> Trace:
        """Compile entry `index` of CASES with Triton; the result is cached."""
        key = (path, index, target)
        if key not in self.traces:
            reply = self.ask("trace", str(path), index, target)
            steps = tuple(Step(**step) for step in reply["steps"])
            self.traces[key] = Trace(reply["front"], steps)
        return self.traces[key]

    def clean_ups(self, path: Path, index: int, target: str) -> tuple[Step, ...]:
        """List the clean-up passes between Triton's TTGIR passes, each IR text once."""
        return tuple(Step(**step) for step in self.ask("clean_ups", str(path), index, target))

    def steps(self, path: Path, index: int, target: str) -> tuple[Step, ...]:
        """List the conversion to TTGIR and every pass after it."""
        return tuple(Step(**step) for step in self.ask("steps", str(path), index, target))

    def whole(
        self, path: Path, index: int, target: str, options: Mapping[str, object]
    ) -> dict[str, str]:
        """Compile entry `index` of CASES at other options: the texts "ttir" and "ttgir"."""
        return self.ask("whole", str(path), index, target, dict(options))

    def located(self, path: Path, index: int, target: str) -> dict[str, str]:
        """Compile entry `index` of CASES: the texts "ttir" and "ttgir" with source locations."""
        return self.ask("located", str(path), index, target)

    def loop_steps(self, path: Path, index: int, target: str, num_stages: int) -> tuple[Step, ...]:
        """Return the loop passes of a compile at a number of stages."""
        reply = self.ask("loop_steps", str(path), index, target, num_stages)
        return tuple(Step(**step) for step in reply)

    def memory_steps(self, path: Path, index: int, target: str) -> tuple[Step, ...]:
        """Return the passes that place memory, after control flow was lowered."""
        return tuple(Step(**step) for step in self.ask("memory_steps", str(path), index, target))

    def time_layout(self, path: Path, index: int, target: str, passes: int, runs: int) -> float:
        """Measure the median ms of the first `passes` passes after the conversion to TTGIR."""
        return self.ask("time_layout", str(path), index, target, passes, runs)

    def dumps(self, path: Path, index: int, target: str) -> list[tuple[str, str, str]]:
        """List (pass, IR, IR with locations) for the front end and every pass to the last."""
        answer = self.ask("dumps", str(path), index, target)
        return [(name, text, located) for name, text, located in answer]

    def make_ttir(self, text: str, target: str) -> str:
        """Run Triton's TTIR passes on the IR text of a front end."""
        return self.ask("make_ttir", text, target)

    def machine_code(self, text: str, target: str) -> dict[str, Any]:
        """Lower final TTGIR with Triton: "llir", "ptx" or "amdgcn", and the bytes of "shared"."""
        return self.ask("machine_code", text, target)

    def gluon_pass(self, text: str, name: str) -> str:
        """Run one of Triton's passes for Gluon on IR text, named as in its Python bindings."""
        return self.ask("gluon_pass", text, name)

    def canonical(self, text: str) -> str:
        """Parse IR text with Triton and print it again, without locations."""
        return self.ask("canonical", text)


@contextmanager
def triton() -> Iterator[Triton]:
    """Provide a worker; it ends with the context."""
    worker = Triton()
    try:
        yield worker
    finally:
        worker.close()
