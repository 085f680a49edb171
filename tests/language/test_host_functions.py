"""Functions that the front end calls, called from host code."""

# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportOperatorIssue=false, reportFunctionMemberAccess=false
from __future__ import annotations

import pytest

import weft.language as tl
from weft.errors import CompilationError
from weft.language.core import extern, is_builtin, must_use_result


@extern
def twice(x, _semantic=None):
    return tl.add(x, x, _semantic=_semantic)


def test_a_call_from_host_code_is_an_error():
    with pytest.raises(CompilationError, match=r"Did you forget to add @triton\.jit \?"):
        twice(1)
    assert is_builtin(twice)
    assert is_builtin(tl.load)
    assert not is_builtin(test_a_call_from_host_code_is_an_error)


def test_the_reason_to_use_a_result_is_kept():
    def function(): ...

    assert must_use_result(function) is function
    assert function._must_use_result is True
    assert must_use_result("why")(function)._must_use_result == "why"
