"""Kernels and cases of a Python file."""

from __future__ import annotations

import sys

import pytest

from weft.errors import CompilationError, WeftError
from weft.kernel.files import find_kernel, kernels_of, load_cases, load_file

HEAD = "import weft\nimport weft.language as tl\n"
KERNEL = "@weft.jit\ndef {}(x, n):\n    pass\n"
TUNED = "@weft.autotune([weft.Config({})], key=[])\n@weft.jit\ndef tuned(x):\n    pass\n"


@pytest.fixture
def module(tmp_path):
    def load(*parts, name="kernels.py"):
        file = tmp_path / name
        file.write_text("".join(parts))
        return load_file(str(file))

    return load


def error_of(call, *args) -> str:
    with pytest.raises(WeftError) as caught:
        call(*args)
    return str(caught.value)


def test_kernels_of_a_module(module):
    loaded = module(HEAD, "from weft.language.standard import softmax\n", KERNEL.format("a"), TUNED)
    assert list(kernels_of(loaded)) == ["a", "tuned"]
    assert find_kernel(loaded, "a").name == "a"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_only_kernel_needs_no_name(module):
    assert find_kernel(module(HEAD, KERNEL.format("only")), None).name == "only"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_kernel_of_the_cases_needs_no_name(module):
    loaded = module(
        HEAD, KERNEL.format("a"), KERNEL.format("b"), "CASES = ((b, '*fp32, i32', {}, {}),)\n"
    )
    assert find_kernel(loaded, None).name == "b"  # pyright: ignore[reportAttributeAccessIssue]
    assert load_cases(loaded)[0].signature == "*fp32, i32"


def test_several_kernels_need_a_name(module):
    text = error_of(find_kernel, module(HEAD, KERNEL.format("a"), KERNEL.format("b")), None)
    assert "defines several kernels; name one" in text
    assert "found: a, b" in text
    assert "accepted: kernels.py::a, kernels.py::b" in text


def test_unknown_kernel(module):
    text = error_of(find_kernel, module(HEAD, KERNEL.format("softmax")), "sofmax")
    assert "defines no kernel sofmax" in text
    assert "did you mean softmax?" in text


def test_file_without_a_kernel(module):
    text = error_of(find_kernel, module("x = 3\n"), None)
    assert "defines no kernel" in text
    assert "a function decorated with @weft.jit" in text


def test_a_file_may_have_the_name_of_another_module(module):
    import json

    loaded = module(HEAD, KERNEL.format("a"), name="json.py")
    assert list(kernels_of(loaded)) == ["a"]
    assert sys.modules["json"] is json


def test_missing_file(tmp_path):
    assert "No such file" in error_of(load_file, str(tmp_path / "gone.py"))
    assert "Is a directory" in error_of(load_file, str(tmp_path))


def test_file_of_another_kind(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text("int x;")
    assert "not a Python file" in error_of(load_file, str(file))


def test_syntax_error(module):
    with pytest.raises(CompilationError) as caught:
        module("def f(:\n    pass\n")
    text = str(caught.value)
    assert "kernels.py:1:7: error: Python syntax: " in text
    assert "    def f(:\n          ^" in text


def test_exception_while_loading(module):
    text = error_of(module, "import weft\n\nx = 1 / 0\n")
    assert "kernels.py:3: error: " in text
    assert "raised an exception: division by zero" in text
    assert "    x = 1 / 0" in text
    assert "found: ZeroDivisionError" in text


def test_exception_in_a_file_of_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "kernels.py").write_text("x = 1\ny = x / 0\n")
    monkeypatch.chdir(tmp_path)
    assert "kernels.py:2: error: " in error_of(load_file, "kernels.py")


def test_missing_import(module):
    assert "No module named 'nowhere'" in error_of(module, "import nowhere\n")


def test_unreadable_cases(module):
    loaded = module(HEAD, KERNEL.format("a"), "CASES = (3,)\n")
    assert "CASES of" in error_of(load_cases, loaded)
