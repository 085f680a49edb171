"""Python modules from C source."""

from __future__ import annotations

import shutil

import pytest

from weft import knobs
from weft.compat.runtime.build import _library_argument, compile_module_from_src
from weft.errors import LaunchError

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler"
)
SOURCE = """
#include <Python.h>
static PyObject *twice(PyObject *self, PyObject *x) {
  return PyLong_FromLong(2 * PyLong_AsLong(x));
}
static PyMethodDef methods[] = {{"twice", twice, METH_O, ""}, {NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "numbers_c", NULL, -1, methods};
PyMODINIT_FUNC PyInit_numbers_c(void) { return PyModule_Create(&definition); }
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        yield tmp_path


@needs_compiler
def test_a_module_is_compiled_once(monkeypatch):
    module = compile_module_from_src(SOURCE, "numbers_c")
    assert module.twice(21) == 42
    monkeypatch.setenv("CC", "/no/such/compiler")
    assert compile_module_from_src(SOURCE, "numbers_c").__file__ == module.__file__


@needs_compiler
def test_other_flags_are_another_module():
    source = SOURCE.replace("2 *", "FACTOR *")
    double, triple = (
        compile_module_from_src(source, "numbers_c", ccflags=[f"-DFACTOR={factor}"])
        for factor in (2, 3)
    )
    assert double.__file__ != triple.__file__
    assert triple.twice(1) == 3


@needs_compiler
def test_a_damaged_module_is_compiled_again(cache):
    compile_module_from_src(SOURCE, "numbers_c")
    (file,) = cache.rglob("numbers_c*")
    file.unlink()
    file.write_text("not a module")
    assert compile_module_from_src(SOURCE, "numbers_c").twice(2) == 4


@needs_compiler
def test_the_text_of_the_compiler_is_in_the_error():
    with pytest.raises(LaunchError, match=r"(?s)cannot compile bad.*expected"):
        compile_module_from_src("int f( {", "bad")


def test_no_compiler(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(LaunchError, match="Failed to find C compiler"):
        compile_module_from_src(SOURCE, "numbers_c")


def test_arguments_of_libraries():
    names = ["cuda", "libcuda.so.1", "libx.a"]
    arguments = ["-lcuda", "-l:libcuda.so.1", "-l:libx.a"]
    assert [_library_argument(name) for name in names] == arguments
