"""The front end against Triton's: both modules after Triton's `make_ttir`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.frontend.semantics.facts import GFX942
from tests.oracle.compare import compare
from tests.oracle.weft_side import load
from weft.frontend import lower
from weft.ir.text import print_module

pytestmark = pytest.mark.oracle

KERNELS = Path(__file__).with_name("language_kernels.py")
NAMES = [kernel.name for kernel, *_ in load(KERNELS).CASES]
TARGET = "hip:gfx942"


def make_ttir(reference: Any, item: Any, module: Any, backend: Any, options: Any) -> str:
    """Return a module of Triton after the back end's own TTIR passes."""
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, reference.ASTSource(item.kernel, item.signature).language)
    metadata = {"target": reference.target(TARGET), **options.__dict__}
    return stages["ttir"](module, metadata).str_nodebug()


@pytest.mark.parametrize("index", range(len(NAMES)), ids=NAMES)
def test_same_ttir(index, tmp_path):
    reference = pytest.importorskip("tests.oracle.reference")
    item = reference.case(reference.load_as_triton(KERNELS), index)
    theirs, backend, options = reference.front(item, reference.target(TARGET))
    expected = make_ttir(reference, item, theirs, backend, options)

    kernel = load(KERNELS).CASES[index][0]
    facts = GFX942
    ours = print_module(lower(kernel, item.signature, item.constexprs, item.attrs, facts))
    path = tmp_path / "ours.mlir"
    path.write_text(ours)
    fresh = reference.context(backend)
    parsed = reference.ir.parse_mlir_module(str(path), fresh)
    parsed.context = fresh
    actual = make_ttir(reference, item, parsed, backend, options)
    result = compare(expected, actual.replace("weft_language_kernels", "language_kernels"))
    assert result, f"{result}\n--- Triton\n{expected}\n--- weft\n{actual}\n--- before\n{ours}"
