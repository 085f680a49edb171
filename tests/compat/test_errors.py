"""Triton's names of errors are weft's errors."""

from __future__ import annotations

import ast
import pickle

import pytest

from weft import errors
from weft import gluon as gl
from weft.compat import errors as triton_errors
from weft.compat.as_triton import as_triton
from weft.compat.front_end_tests import run_parser
from weft.compat.semantic import IncompatibleTypeErrorImpl
from weft.experimental import gluon


def test_every_name_is_a_weft_error():
    classes = [getattr(triton_errors, name) for name in triton_errors.__all__]
    assert all(issubclass(each, errors.WeftError) for each in classes)
    assert triton_errors.OutOfResources is errors.OutOfResourcesError
    assert not hasattr(errors, "OutOfResources")


def test_tritons_modules_have_them():
    with as_triton():
        from triton.compiler.errors import CompilationError
        from triton.runtime.errors import OutOfResources, PTXASError
    assert CompilationError is errors.CompilationError
    assert OutOfResources is errors.OutOfResourcesError
    assert PTXASError is errors.CodegenError


def test_an_error_by_tritons_arguments():
    """The text is that of the wheel's CompilationError with the same arguments."""
    source = "def f(x):\n    y = x + 1\n    return y"
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    node = function.body[0]
    error = errors.CompilationError(source, node, "no such operand")
    assert str(error) == "at 2:4:\ndef f(x):\n    y = x + 1\n    ^\nno such operand"
    assert (error.src, error.node, error.error_message) == (source, node, "no such operand")
    assert str(errors.CompilationError(None, node)) == "at 2:4:\n <source unavailable>"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert type(pickle.loads(pickle.dumps(errors.StaticAssertionError(source, node)))) is (
        errors.StaticAssertionError
    )


def test_operands_of_incompatible_types():
    error = pickle.loads(pickle.dumps(IncompatibleTypeErrorImpl("i32", "fp8")))
    assert error.message == "invalid operands of type 'i32' and 'fp8'"
    assert (error.type_a, error.type_b) == ("i32", "fp8")


@gluon.jit
def with_a_wrong_layout():
    gl.arange(0, 1, layout=gl.BlockedLayout([1], [32], [4], [1]))


@gluon.jit
def calls_with_a_wrong_layout():
    with_a_wrong_layout()


@pytest.mark.parametrize("kernel", [with_a_wrong_layout, calls_with_a_wrong_layout])
def test_an_error_of_another_class_is_the_cause_of_a_compilation_error(kernel):
    with pytest.raises(errors.LayoutError, match="must be a permutation"):
        run_parser(kernel)
    with as_triton():
        with pytest.raises(errors.CompilationError) as caught:
            run_parser(kernel)
        cause: BaseException | None = caught.value
        while not isinstance(cause, errors.LayoutError):
            assert "at 2:4:" in str(cause)
            cause = cause.__cause__
    assert "order must be a permutation of 0..(rank-1), but was [1]" in str(cause)
