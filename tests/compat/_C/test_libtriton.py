"""`triton._C.libtriton`: linear layouts, the vendors' libraries, and what weft does not have."""

from __future__ import annotations

import importlib

import pytest

from weft.compat._C import libtriton
from weft.compat._C.libtriton.amd.hipblas import HipblasLt
from weft.compat._C.libtriton.linear_layout import LinearLayout
from weft.compat._C.libtriton.nvidia.cublas import CublasLt
from weft.compat.as_triton import as_triton
from weft.compat.unsupported import UnsupportedNameError
from weft.errors import LayoutError, UnsupportedError

torch = pytest.importorskip("torch")


def test_linear_layouts_have_tritons_names():
    layout = LinearLayout.identity_1d(8, "reg", "t") * LinearLayout.identity_1d(4, "lane", "t")
    assert layout.bases == [("reg", [[1], [2], [4]]), ("lane", [[8], [16]])]
    assert layout.out_dims == [("t", 32)]
    assert (layout.num_in_dims, layout.num_out_dims) == (2, 1)
    assert layout.get_in_dim_names() == ["reg", "lane"]
    assert layout.get_out_dim_names() == ["t"]
    assert (layout.is_invertible(), layout.is_injective(), layout.is_surjective()) == (True,) * 3
    assert layout.invert().apply({"t": 9}) == {"reg": 1, "lane": 1}
    assert layout.invert_and_compose(layout).apply({"reg": 3, "lane": 2}) == {"reg": 3, "lane": 2}
    assert layout.pseudoinvert() == layout.invert()
    assert len({layout, layout * LinearLayout.zeros_1d(1, "reg", "t")}) == 1
    wide = LinearLayout.from_bases([("x", [[1, 0]])], ["a", "b"], [2, 2], require_surjective=False)
    assert wide.out_dims == [("a", 2), ("b", 2)]
    assert LinearLayout.strided_1d(4, 2, "i", "o").get_matrix_view() == [[0, 0], [1, 0], [0, 1]]
    with pytest.raises(LayoutError, match="not surjective"):
        LinearLayout.from_bases([("x", [[1, 0]])], ["a", "b"], [2, 2])
    with pytest.raises(UnsupportedError, match="get_shared_view"):
        layout.get_shared_view(True)
    assert "reg" in repr(layout)


@pytest.mark.parametrize("library", [CublasLt, HipblasLt])
def test_libraries_multiply_by_the_transposed_matrix(library):
    a, b = torch.rand(16, 32), torch.rand(8, 32)
    c, d = torch.empty(16, 8), torch.empty(16, 8)
    handle = library(torch.empty(1024, dtype=torch.uint8))
    handle.matmul(a, b, c)
    torch.testing.assert_close(c, a @ b.T)
    handle.gemm(a, b, c, d, 2.0, 0.5)
    torch.testing.assert_close(d, 2 * (a @ b.T) + 0.5 * c)


@pytest.mark.parametrize("library", [CublasLt, HipblasLt])
def test_fp8_products_are_rounded_once(library):
    torch.manual_seed(0)
    a, b = (torch.randn(32, 32).to(torch.float8_e4m3fn) for _ in range(2))
    c = torch.empty(32, 32, dtype=torch.float8_e4m3fn)
    library(None).matmul(a, b, c)
    product = a.double() @ b.double().T
    rounded, twice = product.to(c.dtype).float(), product.half().to(c.dtype).float()
    assert (rounded != twice).any()
    torch.testing.assert_close(c.float(), rounded, rtol=0, atol=0)
    wide = torch.empty(32, 32, dtype=torch.float16)
    library(None).matmul(a, b, wide)
    torch.testing.assert_close(wide, product.half(), rtol=0, atol=0)


def test_block_scaled_products_are_refused():
    for name in ("block_scaled_matmul_mxfp8", "block_scaled_matmul_nvfp4"):
        with pytest.raises(UnsupportedError, match=f"weft has no CublasLt.{name}"):
            getattr(CublasLt(None), name)(1, 2, 3, 4, 5)


@as_triton()
def test_every_module_is_there_and_refuses_other_names():
    for name in libtriton._MODULES:
        module = importlib.import_module(f"triton._C.libtriton.{name}")
        assert getattr(libtriton, name) is module
        if name != "linear_layout":
            with pytest.raises(UnsupportedNameError, match=f"weft has no triton.*{name}.frob"):
                _ = module.frobnicate
    with pytest.raises(UnsupportedNameError, match="weft has no triton"):
        _ = libtriton.frobnicate


def test_variables(monkeypatch):
    monkeypatch.setenv("A_FLAG", "yes")
    assert libtriton.getenv("A_FLAG") == "yes"
    assert libtriton.getenv_bool("A_FLAG")
    assert libtriton.getenv_bool("NO_FLAG", True)
    assert libtriton.get_cache_invalidating_env_vars() == {}


def test_functions_on_layouts_of_gluon():
    with as_triton():
        from triton._C.libtriton.gluon_ir import (  # pyright: ignore[reportMissingImports]
            get_layout_view,
            make_cga_layout,
        )
        from triton.experimental.gluon import (  # pyright: ignore[reportMissingImports]
            language as gl,
        )
    assert make_cga_layout([2, 1], [2, 1], [1, 0]) == [[1, 0]]
    layout = gl.BlockedLayout([1], [32], [1], [0])
    assert get_layout_view(layout, [32], False) == layout.format_tensor_view([32])
    assert get_layout_view(layout, [32], True) == layout.format_hardware_view([32])
    padded = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 64], [1, 0])
    for other in (gl.AutoLayout(), gl.CoalescedLayout(), padded):
        with pytest.raises(ValueError, match=f"{type(other).__name__} cannot be visualized"):
            get_layout_view(other, [16, 64], False)
