"""Kernels of a Python file: found, chosen, and what is said when they cannot be."""

from __future__ import annotations

import sys

import pytest

from weft.errors import CompilationError, WeftError
from weft.kernel.files import cases, kernels, load, pick

HEAD = "import weft\nimport weft.language as tl\n"
KERNEL = "@weft.jit\ndef {}(x, n):\n    pass\n"
TUNED = "@weft.autotune([weft.Config({})], key=[])\n@weft.jit\ndef tuned(x):\n    pass\n"


@pytest.fixture
def module(tmp_path):
    def made(*parts, name="kernels.py"):
        file = tmp_path / name
        file.write_text("".join(parts))
        return load(str(file))

    return made


def refused(call, *args) -> str:
    with pytest.raises(WeftError) as caught:
        call(*args)
    return str(caught.value)


def test_kernels_of_a_module(module):
    found = module(HEAD, "from weft.language.standard import softmax\n", KERNEL.format("a"), TUNED)
    assert list(kernels(found)) == ["a", "tuned"]
    assert pick(found, "a").name == "a"


def test_the_only_kernel_needs_no_name(module):
    assert pick(module(HEAD, KERNEL.format("only")), None).name == "only"


def test_the_kernel_of_the_cases_needs_no_name(module):
    found = module(
        HEAD, KERNEL.format("a"), KERNEL.format("b"), "CASES = ((b, '*fp32, i32', {}, {}),)\n"
    )
    assert pick(found, None).name == "b"
    assert cases(found)[0].signature == "*fp32, i32"


def test_several_kernels(module):
    text = refused(pick, module(HEAD, KERNEL.format("a"), KERNEL.format("b")), None)
    assert "defines several kernels, and none is named" in text
    assert "found: a, b" in text
    assert "accepted: kernels.py::a, kernels.py::b" in text


def test_no_such_kernel(module):
    text = refused(pick, module(HEAD, KERNEL.format("softmax")), "sofmax")
    assert "defines no kernel sofmax" in text
    assert "did you mean softmax?" in text


def test_no_kernel_at_all(module):
    text = refused(pick, module("x = 3\n"), None)
    assert "defines no kernel" in text
    assert "a function decorated with @weft.jit" in text


def test_a_file_called_as_another_module(module):
    import json

    found = module(HEAD, KERNEL.format("a"), name="json.py")
    assert list(kernels(found)) == ["a"]
    assert sys.modules["json"] is json


def test_no_file(tmp_path):
    assert "No such file" in refused(load, str(tmp_path / "gone.py"))
    assert "a directory" in refused(load, str(tmp_path))


def test_no_python_file(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text("int x;")
    assert "not a Python file" in refused(load, str(file))


def test_syntax_error(module):
    with pytest.raises(CompilationError) as caught:
        module("def f(:\n    pass\n")
    text = str(caught.value)
    assert "kernels.py:1:7: error: Python syntax: " in text
    assert "    def f(:\n          ^" in text


def test_exception_while_loading(module):
    text = refused(module, "import weft\n\nx = 1 / 0\n")
    assert "kernels.py:3: error: " in text
    assert "fails while it is loaded: division by zero" in text
    assert "    x = 1 / 0" in text
    assert "found: ZeroDivisionError" in text


def test_missing_import(module):
    assert "No module named 'nowhere'" in refused(module, "import nowhere\n")


def test_unreadable_cases(module):
    found = module(HEAD, KERNEL.format("a"), "CASES = (3,)\n")
    assert "CASES of" in refused(cases, found)
