"""Check examples with their kernels in the emulator.

    AMD_EMULATOR=… python -m tests.emulator.run_example gfx942 softmax float32 7 100
    AMD_EMULATOR=… python -m tests.emulator.run_example gfx942 < CASES

A case is the name of an example and the arguments of its `check`; words with "=" are options of
the compiler. "package" in place of an example runs a kernel of benchmarks/package_kernels.py, and
"kernel" a case of a file of tests/oracle/kernels. Each case ends with one of these outcomes:

    ok                     the example's own check against numpy passes
    ok, …, with …          it passes with these corrections of the emulator; Triton's code object of
                           the same TTGIR leaves the same bits, or is right, or how else it ends
    gap: …                 the emulator lacks an instruction that has no correction
    refused: …             weft's message
    slow                   the time limit
    wrong: …               the check fails

The emulator may crash the process; the line "case" names the case before.
"""

from __future__ import annotations

import ctypes
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np

from tests.emulator.code_object import CodeObject, EmulatorGap, launch, read_code_object
from tests.emulator.kernels import check_kernel, check_package
from tests.examples.loading import load
from weft.compiler.artifact import Artifact
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.errors import WeftError
from weft.kernel.specialization import specialize
from weft.launch.argument_packing import encode_arguments, parameter_encodings
from weft.launch.argument_views import view_arguments
from weft.launch.binding import bind
from weft.launch.grid import grid_sizes
from weft.launch.interception import intercept_launches
from weft.targets import target

__all__ = ["SECONDS", "outcome", "run_case"]

SECONDS = 900  # limit of a case
_TRITON = """
import sys
from triton.backends.compiler import GPUTarget
from triton.compiler import compile
compiled = compile(sys.argv[1], target=GPUTarget("hip", sys.argv[2], int(sys.argv[3])))
open(sys.argv[4], "wb").write(compiled.asm["hsaco"])
print(compiled.metadata.shared)
"""


class _Device:
    """Launches kernels in the emulator, and keeps what each launch wrote.

    Args:
        chip: "gfx942".
        overrides: Options of the compiler, before those of the launch.
        uses_triton: Whether Triton compiles weft's TTGIR in place of weft.

    Attributes:
        memory: The arrays after each launch.
        causes: What the kernels use that the emulator lacks or runs wrong.
    """

    def __init__(self, chip: str, overrides: dict[str, object], uses_triton: bool = False) -> None:
        self.chip, self.target, self.uses_triton = chip, target(f"hip:{chip}"), uses_triton
        self.overrides = overrides
        self.memory: list[bytes] = []
        self.causes: set[str] = set()

    def run(
        self, kernel: Any, grid: object, args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> None:
        """Launch a kernel; the arguments are those of an intercepted launch."""
        values, options = bind(kernel, args, kwargs)
        values = view_arguments(values)
        signature = specialize(kernel, list(values.values()))
        options = {**options, **self.overrides}
        artifact, code, shared_bytes = self._compile(kernel, signature, options)
        info = artifact.info
        encodings = parameter_encodings(signature, info.formats)
        encoded = encode_arguments(encodings, list(values.values()))
        sizes = grid_sizes(kernel, grid, values | options)
        packed = struct.pack("".join(info.formats), *encoded)
        launch(self.chip, code, sizes, info.threads, packed, shared_bytes, self.causes)
        self.memory.append(b"".join(_array_bytes(each) for each in values.values()))

    def _compile(
        self, kernel: Any, signature: Signature, options: dict[str, Any]
    ) -> tuple[Artifact, CodeObject, int]:
        """Compile a kernel to its code and its bytes of dynamic LDS."""
        chosen = options_for(self.target, options)
        artifact = build(kernel, signature, chosen, self.target)
        image, shared_bytes = self._image(artifact)
        return artifact, read_code_object(image), shared_bytes

    def _image(self, artifact: Artifact) -> tuple[bytes, int]:
        if not self.uses_triton:
            return artifact.image, artifact.info.shared_bytes
        with tempfile.TemporaryDirectory() as folder:
            source, output = Path(folder) / "kernel.ttgir", Path(folder) / "kernel.hsaco"
            source.write_bytes(artifact.blobs["ttgir"])
            lanes = str(self.target.threads_per_warp)
            command = [sys.executable, "-c", _TRITON, str(source), self.chip, lanes, str(output)]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            return output.read_bytes(), int(run.stdout)


def _array_bytes(value: object) -> bytes:
    """Copy the memory of an array of numpy or torch; nothing for other arguments."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if hasattr(value, "data_ptr"):
        array = cast("Any", value)
        storage = array.untyped_storage()
        return ctypes.string_at(storage.data_ptr(), storage.nbytes())
    return b""


def outcome(chip: str, check: Callable[[], object], overrides: dict[str, object]) -> str:
    """Run an example's check, and say how it ended; see the top of this file."""
    device = _Device(chip, overrides)
    result = _run_check(device, check)
    if result != "ok" or not device.causes:
        return result
    reference = _Device(chip, overrides, uses_triton=True)
    try:
        of_triton = f"Triton's {_run_check(reference, check)}"
    except subprocess.CalledProcessError:
        of_triton = "Triton refuses"
    if of_triton == "Triton's ok":
        of_triton = "Triton's bits" if reference.memory == device.memory else "Triton's right"
    return f"ok, {of_triton}, with {', '.join(sorted(device.causes))}"


def _run_check(device: _Device, check: Callable[[], object]) -> str:
    try:
        with intercept_launches(device.run):
            check()
    except EmulatorGap as gap:
        return f"gap: {gap}"
    except WeftError as error:
        return f"refused: {error.message}"
    except AssertionError as error:
        return f"wrong: {' '.join(str(error).split())[:150]}"
    return "ok"


def run_case(chip: str, words: Sequence[str]) -> str:
    """Run the case that the words name."""
    overrides: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=")
        if value:
            overrides[name] = _argument(value)
    name, *arguments = [word for word in words if "=" not in word]
    if name == "package":
        return outcome(chip, lambda: check_package(arguments[0]), overrides)
    if name == "kernel":
        numbers = [int(word) for word in arguments[1:]]
        return outcome(chip, lambda: check_kernel(arguments[0], *numbers), overrides)
    values = [_argument(word) for word in arguments]
    return outcome(chip, lambda: load(name).check(*values), overrides)


def _argument(text: str) -> object:
    """Read an argument of `check`: a number, a word, or the name of an element type."""
    if text.lstrip("-").isdigit():
        return int(text)
    if text in ("True", "False"):
        return text == "True"
    dtype = getattr(ml_dtypes, text, None) or getattr(np, text, None)
    return text if dtype is None else dtype


def _stop(_signal: int, _frame: object) -> None:
    raise TimeoutError


def main() -> None:
    """Run the case of the command line, or those of the standard input."""
    chip, *words = sys.argv[1:]
    signal.signal(signal.SIGALRM, _stop)
    for case in [words] if words else [line.split() for line in sys.stdin]:
        print(f"case {' '.join(case)}", flush=True)
        signal.alarm(SECONDS)
        try:
            result = run_case(chip, case)
        except TimeoutError:
            result = "slow"
        signal.alarm(0)
        print(f"outcome {result}", flush=True)


if __name__ == "__main__":
    main()
