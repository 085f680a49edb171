"""Names of Triton that weft does not have."""

from __future__ import annotations

import importlib

import pytest

from weft.compat.as_triton import as_triton
from weft.compat.unsupported import UnsupportedNameError


@as_triton()
def test_packages_ask_for_names_by_hasattr():
    compiler = importlib.import_module("triton.backends.compiler")
    assert not hasattr(compiler, "AttrsDescriptor")
    with pytest.raises(UnsupportedNameError, match="weft has no triton"):
        _ = compiler.AttrsDescriptor
    with pytest.raises(ImportError):
        exec("from triton.backends.compiler import AttrsDescriptor", {})
