"""Names of IR that Triton printed before 3.2."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.text import parse_module
from weft.ir.text.legacy_names import modern_name


@pytest.mark.parametrize(
    ("name", "modern"),
    [
        ("triton_gpu.local_load", "ttg.local_load"),
        ("triton_gpu.num-warps", "ttg.num-warps"),
        ("triton_gpu.async.token", "ttg.async.token"),
        ("triton_nvidia_gpu.wait_barrier", "ttng.wait_barrier"),
        ("tt.memdesc", "ttg.memdesc"),
        ("tt.load", "tt.load"),
        ("triton_gpu_other.load", "triton_gpu_other.load"),
        ("load", "load"),
    ],
)
def test_modern_name(name: str, modern: str) -> None:
    assert modern_name(name) == modern


def test_an_unknown_legacy_operation_is_underlined_as_written() -> None:
    with pytest.raises(ParseError) as error:
        parse_module("tt.func @f() {\n  triton_gpu.oops\n}", "x.mlir")
    location = error.value.location
    assert location is not None
    assert (location.line, location.column) == (2, 3)
    assert location.end_column == 3 + len("triton_gpu.oops")
