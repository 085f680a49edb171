"""Compile LLVM IR text to PTX, AMDGCN assembly or an object, with LLVM in a worker process.

    machine = Machine()
    machine.start()                                # optional: LLVM loads in the background
    machine.emit(lower(module), "assembly")        # PTX text for NVIDIA, AMDGCN for AMD

The process is kept for the next kernel. LLVM aborts when it cannot select an instruction. Then the
error names the kernel and quotes LLVM's last output, and the next kernel gets a new process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from typing import IO, Any, BinaryIO, Literal, cast

from msgspec import Struct, field, structs

from weft.codegen.backend import worker
from weft.codegen.backend.register_use import CompileRequest, register_use
from weft.codegen.backend.worker import receive, send
from weft.codegen.hardware import Hardware, hardware_of
from weft.codegen.llvm.module import LlvmModule
from weft.errors import CodegenError

__all__ = ["Form", "Machine"]

Form = Literal["llir", "assembly", "object"]
_AFTER_LINKING = ("always_inliner", "global_dead_code_eliminate", "sroa")
_MAX_MESSAGE = 2000  # characters of LLVM's output that an error quotes


class Machine(Struct):
    """A worker process that runs LLVM, started on first use; it compiles one module at a time.

    Attributes:
        process: the worker; None if none runs.
        errors: the worker's standard error.
        lock: held during a compilation.
    """

    process: subprocess.Popen[bytes] | None = None
    errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start the process without waiting until it has loaded LLVM."""
        with self.lock:
            self._ensure_process()

    def emit(self, module: LlvmModule, form: Form) -> bytes:
        """Compile a module to optimized LLVM IR, assembly text, or an object.

        If the kernel needs too many registers, it is compiled again with the changes that the
        hardware suggests, and the best code is returned. LLVM IR is always that of the first
        compilation.

        Raises: CodegenError: LLVM refuses the module or aborts in the first compilation.
        """
        with self.lock:  # the worker keeps one module between the attempts
            return self._emit_best(module, hardware_of(module.target), form)

    def _emit_best(self, module: LlvmModule, hardware: Hardware, form: Form) -> bytes:
        text = module.text_with_line_info(hardware.module_format.line_info)
        module = structs.replace(module, text=text, has_line_info=False)
        best = self._emit(module, hardware, form, CompileRequest(text))
        if form == "llir":
            return best
        first, module_format = register_use(best), hardware.module_format
        least = module_format.cost(module, first)
        for request in module_format.retries(module, first):
            try:
                code = self._emit(module, hardware, form, request)
            except CodegenError:
                continue  # the code of the first compilation is valid
            use = register_use(code)
            cost = module_format.cost(module, use)
            if cost >= least:
                continue
            best, least = code, cost
            # Each retry trades something for registers; the first without spills is good enough.
            if not use.spills:
                break
        return best

    def _emit(
        self, module: LlvmModule, hardware: Hardware, form: Form, request: CompileRequest
    ) -> bytes:
        # A request without text starts from a module that is linked and optimized already.
        is_first = request.text is not None
        libraries = module.libraries if is_first else ()
        passes = hardware.module_format.passes(module) if is_first else ()
        reply = self._send(
            {
                "triple": hardware.module_format.triple,
                "passes": " ".join(
                    [*(_AFTER_LINKING if libraries else ()), *passes, *request.passes]
                ),
                "cpu": module.target.llvm_cpu,
                "features": module.target.llvm_features,
                "form": form,
                "text": request.text,
                "replacement": request.replacement,
                "libraries": libraries,
            }
        )
        if isinstance(reply, int):
            raise CodegenError(
                f"LLVM aborted while compiling {module.kernel} for {module.target}",
                found=self._error_output() or _describe_status(reply),
            )
        if "error" in reply:
            raise CodegenError(
                f"LLVM refuses {module.kernel} for {module.target}", found=reply["error"].strip()
            )
        return reply["result"]

    def _send(self, request: dict[str, object]) -> dict[str, Any] | int:
        """Send a request; return the reply, or the exit status if the process ended instead."""
        process = self._ensure_process()
        try:
            send(cast("BinaryIO", process.stdin), request)
            reply = receive(cast("BinaryIO", process.stdout))
        except OSError:  # broken pipe: the process ended
            reply = None
        except BaseException:  # the next request would receive this one's reply
            process.kill()
            self._end()
            raise
        return self._end() if reply is None else reply

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        """Return the running process; start one if none runs."""
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

    def _error_output(self) -> str:
        """Return the end of the worker's standard error."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-_MAX_MESSAGE:].strip()

    def _end(self) -> int:
        """Close the pipes, wait for the process and return its exit status."""
        if self.process is None:
            return 0
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):  # unsent data is lost with the process
                    stream.close()
        status = self.process.wait()
        self.process = None
        return status

    def forget(self) -> None:
        """Drop the process of the parent in a forked child, without ending it."""
        self.lock = threading.Lock()
        if self.process is None:
            return
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                cast("Any", stream).raw.close()  # do not flush the parent's buffer
        self.process.returncode = 0  # the parent waits for the process, not this child
        self.process, self.errors = None, tempfile.TemporaryFile()

    def close(self) -> None:
        """End the process."""
        self._end()
        self.errors.close()


def _describe_status(code: int) -> str:
    """Describe the end of a process that printed no message."""
    return f"no message; {f'signal {-code}' if code < 0 else f'exit status {code}'}"
