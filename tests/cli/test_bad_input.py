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
