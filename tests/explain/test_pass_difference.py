from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.errors import WeftError
from weft.explain.pass_difference import pass_difference


@weft.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))


def difference(name):
    return pass_difference(copy, "cuda:90", name, signature="*fp32:16, *fp32:16, 1024")


def test_a_pass_that_changes_layouts():
    lines = difference("tritongpu-coalesce").splitlines()
    assert lines[:2] == ["--- before tritongpu-coalesce", "+++ after tritongpu-coalesce"]
    assert any(line.startswith("-") and "tt.load" in line for line in lines)
    assert any(line.startswith("+") and "tt.load" in line for line in lines)
    decisions = lines[lines.index("decisions:") + 1 :]
    assert any("sizePerThread = [4]" in line for line in decisions)
    assert any("tt.load at test_pass_difference.py:" in line for line in decisions)


def test_a_pass_without_effect_and_one_that_runs_twice():
    assert difference("tritongpu-prefetch") == "tritongpu-prefetch changes nothing\n"
    runs = difference("tritongpu-remove-layout-conversions").splitlines()
    assert runs[0] == "--- before tritongpu-remove-layout-conversions (run 1 of 3)"
    assert "tritongpu-remove-layout-conversions (run 2 of 3) changes nothing" in runs


def test_an_unknown_pass():
    with pytest.raises(WeftError, match="no pass tritongpu-coalesced runs on this kernel") as error:
        difference("tritongpu-coalesced")
    assert "did you mean tritongpu-coalesce" in str(error.value)
