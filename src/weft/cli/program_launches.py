"""Run a program, and record the launches of its kernels.

record_launches(Path("script.py"), "", None, ["--size", "128"])    # one per kernel and signature
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import CodeType

from weft.cli.output import note
from weft.cli.run import run
from weft.errors import Location, WeftError, did_you_mean
from weft.kernel.files import Case, load_file
from weft.launch.interception import intercept_launches
from weft.testing.launch_recorder import LaunchRecorder, RecordedLaunch

__all__ = ["launched_cases", "record_launches"]

_CALL = "--call"  # the file name of its code


def record_launches(
    path: Path,
    kernel_name: str,
    gpu: int | None,
    arguments: Sequence[str] = (),
    call: str | None = None,
) -> list[RecordedLaunch]:
    """Run a file as a program, or evaluate an expression in it, and record its launches.

    Args:
        path: The file.
        kernel_name: The kernel to record; "" for all.
        gpu: The number of the GPU; None for the CPU.
        arguments: Arguments of the program.
        call: The expression to evaluate instead.

    Raises:
        WeftError: It launches no kernel, or not this one.
    """
    recorder = LaunchRecorder(gpu)
    program = _program(path, arguments, call)
    with redirect_stdout(sys.stderr), intercept_launches(recorder):
        _run_program(program, recorder, is_call=call is not None)
    return _select(recorder.launches, kernel_name, path)


def launched_cases(
    file: str, arguments: Sequence[str], options: Mapping[str, object]
) -> list[tuple[str, Case]]:
    """Run a program on the CPU device, and list its kernels with the signatures of its launches.

    Args:
        file: The program, with "::KERNEL" for one kernel.
        arguments: Its arguments.
        options: Compile options that replace those of the launches.

    Returns:
        For each different launch a name, "kernel(signature)", and the kernel as `weft.compile`
        takes it.

    Raises:
        WeftError: It launches no kernel, or not this one.
    """
    path, _, kernel_name = file.partition("::")
    cases: dict[tuple[str, str], Case] = {}
    for launch in record_launches(Path(path), kernel_name, None, arguments):
        own_options = {**launch.options, **options}
        name = f"{launch.kernel.name}({launch.signature})"
        case = Case(launch.kernel, launch.specialization, {}, own_options)
        cases.setdefault((name, str(own_options)), case)
    return [(name, case) for (name, _), case in cases.items()]


def _run_program(program: Callable[[], object], recorder: LaunchRecorder, *, is_call: bool) -> None:
    """Run a program. If it fails, the launches before the failure are still measured.

    Args:
        program: The program.
        recorder: Its launches.
        is_call: Whether it is the expression of --call.

    Raises:
        WeftError: The expression fails before it launches a kernel.
    """
    try:
        program()
    except WeftError:
        raise
    except SystemExit as error:
        if error.code not in (None, 0):
            note(f"the program exited with {error.code}: later launches may be missing")
    except Exception as error:
        if not recorder.launches:
            if is_call:
                raise _call_error(error) from None
            raise
        reason = str(error).partition("\n")[0] or repr(error)
        note(f"the program failed, later launches are missing: {reason}")


def _program(path: Path, arguments: Sequence[str], call: str | None) -> Callable[[], object]:
    if call is not None:
        scope = vars(load_file(str(path)))
        try:
            code = compile(call, _CALL, "eval")
        except SyntaxError as error:
            raise WeftError(f"--call is not a Python expression: {error.msg}", found=call) from None
        return lambda: _evaluate(code, scope)
    return lambda: run(str(path), arguments)


def _evaluate(code: CodeType, scope: dict[str, object]) -> object:
    """Evaluate the expression of --call.

    Raises:
        WeftError: It names something that the file does not define.
    """
    try:
        return eval(code, scope)
    except NameError as error:
        names = [name for name in scope if not name.startswith("_")]
        raise WeftError(
            f"--call: {error}",
            found=error.name,
            accepted=names,
            hint=did_you_mean(str(error.name), names),
        ) from None


def _call_error(error: Exception) -> WeftError:
    """Create the error for an exception that the expression of --call raises."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    is_in_call = frame.filename == _CALL
    location = None if is_in_call else Location(frame.filename, frame.lineno or 1)
    return WeftError(
        f"--call raised an exception: {error}", location=location, found=type(error).__name__
    )


def _select(launches: list[RecordedLaunch], kernel_name: str, path: Path) -> list[RecordedLaunch]:
    selected = [each for each in launches if kernel_name in ("", each.kernel.name)]
    if selected:
        return selected
    names = sorted({each.kernel.name for each in launches})
    if names:
        raise WeftError(
            f"{path} does not launch {kernel_name}",
            found=kernel_name,
            accepted=names,
            hint=did_you_mean(kernel_name, names),
        )
    raise WeftError(
        f"{path} launches no kernel",
        found="no launch, and no BENCHES",
        hint="launch under `if __name__ == '__main__'`, or pass a call: --call 'check(4096)'",
    )
