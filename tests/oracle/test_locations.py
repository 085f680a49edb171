"""Source locations and names of values: our TTIR and TTGIR of each case against Triton's dumps."""

from __future__ import annotations

import re

import pytest
from xdsl.ir import Attribute

import weft
from tests.oracle import weft_side
from tests.oracle.corpus import COMPILES, name
from weft.ir import scf
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.locations import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from weft.ir.text import parse_module

pytestmark = pytest.mark.oracle

# Files whose cases have Triton's locations at every stage, and those whose TTIR has them.
FILES = {
    "vector_add": "ttgir",
    "softmax": "ttgir",
    "transpose": "ttgir",
    "layer_norm": "ttgir",
    "histogram": "ttgir",
    "prefix_scan": "ttir",
    "matmul": "ttir",
    "matmul_block_pointer": "ttir",
    "matmul_fp8": "ttir",
    "attention": "ttir",
}
CASES = [
    (path, index, target)
    for path, index, target in COMPILES
    if path.stem in FILES and target in ("cuda:90", "hip:gfx942")
]


def text_of(location: Attribute) -> str:
    """Write a location without aliases and files; the lines of a library are its own."""
    match location:
        case FileLineColLoc():
            if "/language/" in location.filename.data:
                return "library"
            return f"{location.line.data}:{location.column.data}"
        case NameLoc():
            return f"{location.desc.data}({text_of(location.location)})"
        case CallSiteLoc():
            return f"[{text_of(location.callee)} at {text_of(location.caller)}]"
        case FusedLoc():
            return f"fused{[text_of(part) for part in location.locations.data]}"  # pyright: ignore
        case _:
            return "unknown"


def located(module: ModuleOp) -> list[str]:
    """List the operations with their locations; a yield without operands is not printed."""

    def is_printed(op: Operation) -> bool:
        return not isinstance(op, scf.YieldOp) or bool(op.operands)

    return [f"{op.name} {text_of(op.location)}" for op in module.walk() if is_printed(op)]


def without_locations(text: str) -> str:
    """Remove the locations of a text, and keep the names."""
    body = re.sub(r"^#loc\d* = .*\n", "", text, flags=re.MULTILINE)
    inline = r"callsite\(#loc\d* at #loc\d*\)|\"[^\"]*\"(?:\(#loc\d*\))?|#loc\d*|unknown"
    return re.sub(rf" loc\((?:{inline})\)", "", body).rstrip()


@pytest.mark.parametrize(("path", "index", "target"), CASES, ids=[name(*case) for case in CASES])
def test_locations_are_tritons(triton, path, index, target):
    texts = triton.located(path, index, target)
    kernel, signature, constexprs, *_ = weft_side.load(path).CASES[index]
    compiled = weft.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        options=weft_side.case_options(path, index, target),
    )
    for stage in ("ttir", "ttgir")[: 1 + (FILES[path.stem] == "ttgir")]:
        assert located(compiled.module(stage)) == located(parse_module(texts[stage]))
        assert compiled.asm[stage].rstrip() == without_locations(texts[stage])
