"""LLVM: from the text of a module to PTX, AMDGCN assembly or an object, in a process of its own.

    machine = Machine()
    machine.start()                                # may be left out: LLVM loads while others work
    machine.emit(lower(module), "assembly")        # PTX text for NVIDIA, AMDGCN for AMD

The process is kept for the next kernel. LLVM aborts on what it cannot select; then the error says
which kernel that was and what LLVM last said, and the next kernel gets a new process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, cast

from weft.codegen.backend import worker
from weft.codegen.backend.spills import Way, spills_of
from weft.codegen.backend.worker import receive, send
from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen.hardware import Hardware
    from weft.codegen.lowering.module import LlvmModule

__all__ = ["Form", "Machine"]

Form = Literal["llir", "assembly", "object"]
_AFTER_LINKING = ("always_inliner", "global_dead_code_eliminate", "sroa")
_SAID = 2000  # characters of what LLVM wrote before it died


@dataclass(slots=True)
class Machine:
    """A worker process that runs LLVM, started when it is first needed; one question at a time."""

    process: subprocess.Popen[bytes] | None = None
    errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Let the process begin to load LLVM, and do not wait for it."""
        with self.lock:
            self._running()

    def emit(self, module: LlvmModule, form: Form) -> bytes:
        """Return a module as optimised LLVM IR, as assembly text, or as an object.

        A kernel whose registers do not suffice is compiled again the chip's other ways, and the
        code that spills least is taken; LLVM IR is always that of the usual way.
        Raises: CodegenError: LLVM refuses the module, or ends its process, the usual way.
        """
        from weft.codegen.hardware import hardware_of

        with self.lock:  # the process keeps one module between the ways
            return self._best(module, hardware_of(module.target), form)

    def _best(self, module: LlvmModule, hardware: Hardware, form: Form) -> bytes:
        code = self._emit(module, hardware, form, Way(module.text))
        if form == "llir":
            return code
        least = spills_of(code)
        for way in hardware.with_fewer_registers(module.text, least):
            try:
                again = self._emit(module, hardware, form, way)
            except CodegenError:
                continue  # the code of the usual way is there, and right
            if (spills := spills_of(again)) < least:
                code, least = again, spills
            if not any(least):
                break
        return code

    def _emit(self, module: LlvmModule, hardware: Hardware, form: Form, way: Way) -> bytes:
        libraries = module.libraries if way.text is not None else ()
        usual = hardware.passes if way.text is not None else ()
        request = {
            "triple": hardware.triple,
            "passes": " ".join([*(_AFTER_LINKING if libraries else ()), *usual, *way.passes]),
            "cpu": module.target.llvm_cpu,
            "features": module.target.llvm_features,
            "form": form,
            "text": way.text,
            "replaced": way.replaced,
            "libraries": libraries,
        }
        reply = self._ask(request)
        if isinstance(reply, int):
            raise CodegenError(
                f"LLVM ended its process while compiling {module.kernel} for {module.target}",
                found=self._said() or _status(reply),
            )
        if "error" in reply:
            raise CodegenError(
                f"LLVM refuses {module.kernel} for {module.target}", found=reply["error"].strip()
            )
        return reply["result"]

    def _ask(self, request: dict[str, object]) -> dict[str, Any] | int:
        """Return the reply, or the exit status of a process that ended in place of replying."""
        process = self._running()
        try:
            send(cast("BinaryIO", process.stdin), request)
            reply = receive(cast("BinaryIO", process.stdout))
        except OSError:  # the pipe has lost its other end
            reply = None
        return self._end() if reply is None else reply

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, a new one where there is none or somebody has ended it."""
        if self.process is not None and self.process.poll() is not None:
            self._end()
        if self.process is None:
            self.errors.seek(0)
            self.errors.truncate()
            self.process = subprocess.Popen(
                [sys.executable, "-P", worker.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
            )
        return self.process

    def _said(self) -> str:
        """Return the end of what the worker wrote to its standard error."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-_SAID:].strip()

    def _end(self) -> int:
        """Wait for the process; return its exit status."""
        if self.process is None:
            return 0
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not sent yet is lost with it
                    stream.close()
        status = self.process.wait()
        self.process = None
        return status

    def forget(self) -> None:
        """Leave the process alone, in a process that was forked from the one that has it."""
        self.lock = threading.Lock()
        if self.process is None:
            return
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                cast("Any", stream).raw.close()  # what is in its buffer is not ours
        self.process.returncode = 0  # it is not ours to wait for, either
        self.process, self.errors = None, tempfile.TemporaryFile()

    def close(self) -> None:
        """End the process."""
        self._end()
        self.errors.close()


def _status(code: int) -> str:
    """Return what is known of a process that said nothing."""
    return f"no message; {f'signal {-code}' if code < 0 else f'exit status {code}'}"
