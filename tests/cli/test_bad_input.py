"""What a user does wrong, end to end: the message on stderr, and exit code 1."""

from __future__ import annotations

import pytest

KERNEL = """\
@weft.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    {body}
    tl.store(y + i, tl.load(x + i, mask=i < n))
"""

LAUNCH = """\


x = np.ones(64, np.float32)
y = np.zeros(64, np.float32)
{launch}
"""


@pytest.fixture
def compile_error(weft_command, kernel_file):
    def error(body="pass", *options, signature="*fp32:16, *fp32:16, i32, 64", target="cuda:90"):
        file = kernel_file(KERNEL.format(body=body))
        arguments = ("--target", target, "--signature", signature, *options)
        result = weft_command("compile", file, *arguments)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    return error


@pytest.fixture
def run_error(weft_command, kernel_file):
    def error(launch, body="pass"):
        file = kernel_file(KERNEL.format(body=body) + LAUNCH.format(launch=launch))
        result = weft_command("run", file)
        assert result.exit_code == 1
        assert "Traceback" not in result.stderr
        return result.stderr

    return error


def test_a_kernel_that_calls_numpy(compile_error):
    text = compile_error("y = np.maximum(x, y)")
    assert "kernels.py:9:" in text
    assert "y = np.maximum(x, y)" in text
    assert "^" in text
    assert "numpy" in text


def test_a_shape_that_is_no_power_of_two(compile_error):
    text = compile_error("z = tl.zeros((48, 16), tl.float32)")
    assert "kernels.py:9:" in text
    assert "must be a power of 2" in text
    assert "48" in text


def test_a_range_that_is_no_power_of_two(compile_error):
    text = compile_error(signature="*fp32, *fp32, i32, 100")
    assert "kernels.py:8:" in text
    assert "power of" in text
    assert "100" in text


def test_a_dtype_mismatch_in_dot(compile_error):
    body = "tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))"
    text = compile_error(body)
    assert "kernels.py:9:" in text
    assert "fp16" in text
    assert "fp32" in text


def test_an_unknown_tl_function(compile_error):
    text = compile_error("z = tl.lod(x + i)")
    assert "kernels.py:9:" in text
    assert "tl.lod" in text or "lod" in text
    assert "did you mean" in text
    assert "load" in text


def test_an_unknown_target(compile_error):
    text = compile_error(target="hip:gfx943")
    assert "unknown target hip:gfx943" in text
    assert "hip:gfx942" in text
    assert "cuda:90" in text


def test_a_wrong_signature(compile_error):
    assert "no entry for n" in compile_error(signature="*fp32, *fp32")
    assert "argument 1 (y): unknown type '*fp31'" in compile_error(
        signature="*fp32, *fp31, i32, 64"
    )


def test_wrong_options(compile_error):
    text = compile_error("pass", "--num-warps", "3")
    assert "num_warps must be a power of 2" in text
    assert "did you mean num_stages" in compile_error("pass", "--option", "num_stage=3")


def test_an_array_of_the_wrong_dtype(run_error):
    text = run_error("kernel[(1,)](x.astype(complex), y, 64, BLOCK=64)")
    assert "kernel: parameter x: unsupported element type" in text
    assert "found: an array of complex128" in text
    assert "accepted: bool, int8" in text


def test_an_array_on_another_device(run_error):
    launch = """
class Remote:
    dtype, device, shape = "torch.float32", "cuda:0", (64,)
    def data_ptr(self):
        return 1 << 40
kernel[(1,)](Remote(), y, 64, BLOCK=64)"""
    text = run_error(launch)
    assert "Pointer argument x cannot be accessed from the CPU device" in text
    assert "found: an array on cuda:0" in text
    assert "x.cpu()" in text


def test_an_out_of_bounds_load(run_error):
    text = run_error("kernel[(1,)](x[:60], y, 64, BLOCK=64)")
    assert "kernels.py:10:" in text
    assert "tl.store(y + i, tl.load(x + i, mask=i < n))" in text
    assert "x" in text
    assert "60" in text


def test_wrong_arguments_of_a_launch(run_error):
    assert "kernel missing required arguments: n, BLOCK" in run_error("kernel[(1,)](x, y)")
    text = run_error("kernel[(1,)](x, y, 64, BLOK=64)")
    assert "kernel: Keyword argument BLOK was specified but unrecognised" in text
    assert "did you mean BLOCK?" in text
    assert "grid must have 1 to 3 sizes" in run_error("kernel[(1.5,)](x, y, 64, BLOCK=64)")
    assert "kernel[grid]" in run_error("kernel(x, y, 64, 64)")


def test_a_mistake_in_a_launched_kernel(run_error):
    text = run_error("kernel[(1,)](x, y, 64, BLOCK=64)", body="z = tl.exq(x)")
    assert "kernels.py:9:" in text
    assert "did you mean" in text


def test_no_signature(weft_command, kernel_file):
    result = weft_command("compile", kernel_file(KERNEL.format(body="pass")), "-t", "cuda:90")
    assert result.exit_code == 1
    assert "kernel needs a signature: no type for x, y, n" in result.stderr
    assert '"type, type, type, value"' in result.stderr


def test_no_file(weft_command):
    result = weft_command("compile", "gone.py", "--target", "cuda:90")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: cannot read the file\n  found: gone.py: No such file or directory\n"
    )


def test_a_file_that_does_not_parse(weft_command, kernel_file):
    result = weft_command("compile", kernel_file("def f(:\n"), "--target", "cuda:90")
    assert result.exit_code == 1
    assert "kernels.py:6:7: error: Python syntax" in result.stderr


def test_a_kernel_that_is_not_there(weft_command, kernel_file):
    file = kernel_file(KERNEL.format(body="pass"))
    result = weft_command("compile", f"{file}::kernl", "--target", "cuda:90")
    assert result.exit_code == 1
    assert "did you mean kernel?" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "binary.ttgir", "-t", "cuda:90"),
        ("compile", "binary.ttir", "-t", "cuda:90"),
        ("explain", "binary.ttgir"),
    ],
)
def test_a_file_of_ir_that_is_not_text(weft_command, tmp_path, arguments):
    command, name, *options = arguments
    path = tmp_path / name
    path.write_bytes(b"\x7fELF\xff\x87")
    result = weft_command(command, path, *options)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (1, "error: the file is not text")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("chekc(1)", "--call: name 'chekc' is not defined"),
        ("check(1)", "--call raised an exception: division by zero"),
        ("1 / 0", "--call raised an exception: division by zero"),
    ],
)
def test_a_call_that_fails(weft_command, kernel_file, call, message):
    path = kernel_file("def check(n):\n    return n / 0\n")
    result = weft_command("bench", path, "--device", "cpu", "--call", call)
    assert result.exit_code == 1
    assert message in result.stderr.splitlines()[0]
    assert "Traceback" not in result.stderr
    if call == "chekc(1)":
        assert "hint: did you mean check?" in result.stderr
    if call == "check(1)":
        assert result.stderr.startswith(f"{path}:7: error")


_HELPERS = """
@weft.jit
def scale(x):
    return x.no_such

@weft.jit
def twice(x):
    return scale(x) + 1

@weft.jit
def kernel(p, q, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(p + i, twice(tl.load(p + i)))

@weft.jit
def two_arrays(p, q, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(p + i, tl.load(q + i))
"""


@pytest.mark.parametrize("options", [(), ("--as-triton",)])
def test_an_error_in_a_helper_names_its_callers(weft_command, kernel_file, options):
    path = kernel_file(_HELPERS)
    result = weft_command(
        "compile", f"{path}::kernel", "-s", "*fp32, *fp32, 16", "-t", "cuda:90", *options
    )
    assert f"{path}:9:12: error: fp32[16] has no attribute no_such" in result.stderr
    inner = f"  called from: {path}:13:12: return scale(x) + 1"
    outer = f"  called from: {path}:18:21: tl.store(p + i, twice(tl.load(p + i)))"
    assert f"{inner}\n{outer}\n" in result.stderr


def test_none_for_a_pointer_names_the_parameter(weft_command, kernel_file):
    launch = "two_arrays[(1,)](np.zeros(16, np.float32), None, BLOCK=16)"
    result = weft_command("run", kernel_file(f"{_HELPERS}\n{launch}\n"))
    assert result.exit_code == 1
    assert "tl.store(p + i, tl.load(q + i))" in result.stderr
    assert "hint: argument q is None: pass an array" in result.stderr


def test_fp8_that_the_chip_lacks_has_a_position(weft_command, kernel_file):
    path = kernel_file(_HELPERS)
    result = weft_command(
        "compile", f"{path}::two_arrays", "-s", "*fp32, *fp8e4nv, 16", "-t", "cuda:80"
    )
    assert f"{path}:21:1: error: type fp8e4nv not supported" in result.stderr


_ENDLESS = """
@weft.jit
def endless(p):
    x = tl.load(p)
    while x < 1.0:
        x = x * 0.5
        tl.store(p, x)

def interrupt(number, frame):
    raise KeyboardInterrupt

import signal
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.7)
endless[(1,)](np.zeros(1, np.float32))
"""


def test_an_interrupt_names_kernel_and_line(weft_command, kernel_file):
    path = kernel_file(_ENDLESS)
    result = weft_command("run", path)
    assert result.exit_code == 130
    assert result.stderr.startswith("interrupted in kernel endless, program (0, 0, 0) at ")
    assert any(f"{path}:{line}:" in result.stderr for line in (10, 11, 12))
