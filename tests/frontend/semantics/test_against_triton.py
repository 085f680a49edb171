"""Operators, functions and the library against Triton: one small kernel per row, same TTIR.

A row is an expression of `a` and `b`, two blocks of [8, 4] of the types beside it. Both
front ends lower the same generated file; Triton's own TTIR passes run on both results.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.frontend.semantics.facts import BY_TARGET
from weft.frontend import lower
from weft.ir.text import print_module

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::UserWarning")]

HEADER = '''"""Generated kernels."""

import weft
import weft.language as tl


@weft.jit
def plus(a, b):
    return a + b


@weft.jit
def best(v1, i1, v2, i2):
    first = v1 > v2
    return tl.where(first, v1, v2), tl.where(first, i1, i2)


@weft.jit
def branch(a, b):
    if b > 2:
        r = a + b
    else:
        r = a * 2.0
    return r
'''

KERNEL = """

@weft.jit
def {name}(x, y, z, n):
    i = tl.arange(0, 8)
    j = tl.arange(0, 4)
    p = x + i[:, None] * 4 + j[None, :]
    q = y + i[:, None] * 4 + j[None, :]
    a = tl.load(p)
    b = tl.load(q)
    {body}
    tl.store(z + i[:, None] * 4 + j[None, :], r)
"""

FLOAT = "fp32", "fp32"
ROWS = [
    *[
        (types, f"r = tl.{name}(a, 1)[:, None] + b")
        for name in ("max", "min", "sum", "argmax", "argmin")
        for types in (FLOAT, ("fp16", "fp16"), ("bf16", "fp32"), ("i32", "i32"), ("u8", "i32"))
    ],
    *[
        (types, f"r = tl.{name}(a, 0)")
        for name in ("cumsum", "cumprod")
        for types in (FLOAT, ("bf16", "fp32"), ("i8", "i32"))
    ],
    *[
        ((kind, "fp32"), body)
        for kind in ("fp32", "fp16", "i32")
        for body in (
            "r = tl.sort(a)",
            "r = tl.sort(a, descending=True)",
            "r = tl.flip(a, 0)",
            "r = tl.topk(a, 1) + b",
        )
    ],
    *[
        (FLOAT, body)
        for body in (
            "v, k = tl.max(a, 1, return_indices=True, keep_dims=True); r = v + k",
            "v, k = tl.min(a, 0, return_indices=True, return_indices_tie_break_left=False); "
            "r = v + k + a",
            "r = tl.max(a) + tl.min(b, keep_dims=True)",
            "r = tl.sum(a.to(tl.float16), 1, keep_dims=True, dtype=tl.float32) + b",
            "r = tl.softmax(a) + tl.softmax(b, 1, keep_dims=True)",
            "r = tl.sigmoid(a) + tl.zeros_like(a) + tl.zeros((8, 4), tl.float16)",
            "r = tl.xor_sum(a.to(tl.int32), 0) + tl.reduce_or(b.to(tl.int32), 1, keep_dims=True)",
            "r = tl.swizzle2d(a.to(tl.int32), b.to(tl.int32), 7, 9, 3)[0]",
            "r = tl.cdiv(n, 4) + tl.ravel(a).reshape(8, 4)",
            "r = tl.interleave(a, b).sum(1)[:, None] + a",
            "r = tl.rand(n, a.to(tl.int32)) + tl.randn(3, b.to(tl.int64), 4)",
            "r = tl.randint(n, i[:, None] + j[None, :]).to(tl.float32)",
            "r = tl.rand4x(5, i[:, None] + j[None, :])[2] + tl.randn4x(5, j[None, :])[3]",
            "r = tl.reduce(a, 1, plus, keep_dims=True) + tl.reduce(b, None, plus)",
            "v, k = tl.reduce((a, b.to(tl.int32)), 0, best); r = v + k + a",
            "r, _ = tl.associative_scan((a, b), -1, best, reverse=True)",
            "r = tl.map_elementwise(branch, a, b)",
            "r = a.T.trans() + tl.permute(tl.permute(b, (1, 0)), 1, 0)",
            "r = tl.join(a, b).split()[0] + tl.cat(a, b, dim=0).reshape(2, 8, 4).sum(0)",
            "r = tl.gather(a, b.to(tl.int32), 0) + tl.expand_dims(a.sum(1), (1,))",
            "r = tl.where(a > b, a, 0) + tl.where(tl.sum(a) > 0, 1.0, 0)",
            "r = tl.maximum(a.to(tl.float16), 0.0) + tl.minimum(a.to(tl.bfloat16), b)",
            "r = tl.clamp(a.to(tl.float16), 0.0, 1.0) + tl.clamp(a, b, 1.0)",
            "r = tl.fma(a, b, 1.0) + tl.div_rn(a, b) + tl.sqrt_rn(a) + tl.umulhi(n, 7)",
            "r = tl.join(a.to(tl.uint8), b.to(tl.int8)).to(tl.float32).sum(2)",
            "r = tl.cat(i.to(tl.uint16), i.to(tl.int16), can_reorder=True).to(tl.int32).sum() + a",
            "r = tl.fma(a.to(tl.bfloat16), b.to(tl.bfloat16), a)",
            "r = tl.fma(a, b.to(tl.float16), n) + tl.fma(1.0, a.to(tl.float16), b)",
            "r = (tl.sum(a > b, 1).to(tl.int64) + tl.sum(a > 0))[:, None] + tl.cumsum(b > 0, 0)",
            "r = tl.exp(a) + tl.exp2(b) + tl.log(a) + tl.log2(b) + tl.erf(a) + tl.rsqrt(b)",
            "r = a.to(tl.float16, fp_downcast_rounding='rtz') + a.to(tl.int32, bitcast=True)",
            "r = a.to(tl.float8e5).to(tl.float32) + (a > 0).logical_and(b > 0)",
            "r = tl.full((8, 4), n, tl.float16) + tl.full((8, 4), float('-inf'), tl.float32)",
            "r = tl.extra.libdevice.tanh(a) + tl.extra.libdevice.pow(b, 2)",
            "r = tl.extra.libdevice.isnan(a) + b",
            "r = tl.load(p, mask=i[:, None] < n, other=0, cache_modifier='.cg')",
            "r = tl.load(p, mask=(i[:, None] < n) & (j < 3), eviction_policy='evict_first')",
            "r = tl.atomic_max(p, b, mask=i[:, None] < n) + tl.atomic_add(x, 1.0)",
            "r = tl.atomic_xchg(p, b, sem='relaxed', scope='cta')",
            "r = tl.load(tl.multiple_of(p, (1, 4))) + tl.max_contiguous(i * n, 8)[:, None]",
            "t = tl.make_block_ptr(x, (n, 4), (4, 1), (0, 0), (8, 4), (1, 0)); "
            "r = tl.load(tl.advance(t, (n, 0)), boundary_check=(0,), padding_option='zero')",
            "t = tl.make_tensor_descriptor(x, [n, 4], [4, 1], [8, 4]); r = t.load([0, n])",
            "tl.assume(n > 0); tl.debug_barrier(); tl.device_print('n', n); r = a - b",
            "r = tl.inline_asm_elementwise('mad $0,$1;', '=f,f,f', [a, 3.0], tl.float32, True, 1)",
            "r = a + x.dtype.element_ty.primitive_bitwidth + a.shape[0] + a.numel",
        )
    ],
    *[
        (("i32", kind), f"r = (a {op} b).to(tl.float32)")
        for kind in ("i8", "i64", "fp16", "fp32")
        for op in ("+", "*", "/", "%", "<", "!=")
    ],
    *[
        ((kind, "fp32"), f"r = (a {op}).to(tl.float32)")
        for kind in ("u8", "i64", "fp16", "bf16")
        for op in ("* 2", "+ 1", "/ 3", "< 300", "== -1", "- 1.5")
    ],
    *[(("u32", "i64"), f"r = (a {op} b).to(tl.float32)") for op in ("&", "|", "^", "<<", ">>")],
    (
        FLOAT,
        "r = tl.dot(tl.broadcast_to(a.reshape(1, 32), (8, 32)), tl.zeros((32, 4), tl.float32))",
    ),
]
DOTS = [
    *[((kind, kind), "r = tl.dot(c, d)") for kind in ("fp16", "bf16", "fp32", "i8", "fp8e5")],
    (("fp16", "fp16"), "r = tl.dot(c, d, out_dtype=tl.float16)"),
    (("fp16", "fp16"), "r = tl.dot(c, d, tl.zeros((8, 4), tl.float32))"),
    (("fp32", "fp32"), "r = tl.dot(c, d, input_precision='ieee')"),
]
WIDEN = (
    "c = tl.load(x + i[:, None] + tl.arange(0, 32)[None, :]); "
    "d = tl.load(y + tl.arange(0, 32)[:, None] + j[None, :]); "
)
ROWS += [(types, WIDEN + body) for types, body in DOTS]
TARGETS = ("cuda:90", "hip:gfx942")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory) -> tuple[Any, Any]:
    """Return the generated module as weft's kernels, and as Triton's."""
    reference = pytest.importorskip("tests.oracle.reference")
    from tests.oracle.weft_side import load

    path = tmp_path_factory.mktemp("rows") / "rows.py"
    parts, cases = [HEADER], []
    for number, ((first, second), body) in enumerate(ROWS):
        name = f"row{number}"
        parts.append(KERNEL.format(name=name, body=body.replace("; ", "\n    ")))
        cases.append(f'    ({name}, "*{first}, *{second}, *fp32, i32", {{}}, {{}}),\n')
    path.write_text("".join([*parts, "\n\nCASES = (\n", *cases, ")\n"]))
    return load(path), reference.load_as_triton(path)


def passed(reference: Any, module: Any, context: Any) -> str:
    """Return a module of Triton after inlining and the passes that tidy up."""
    from triton._C.libtriton import passes

    manager = reference.ir.pass_manager(context)
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.ttir.add_combine(manager)
    passes.ttir.add_reorder_broadcast(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    manager.run(module, "passed")
    return module.str_nodebug()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("row", range(len(ROWS)), ids=[body[:60] for _, body in ROWS])
def test_same_ttir(row, target, kernels, tmp_path):
    reference = pytest.importorskip("tests.oracle.reference")
    weft_kernels, triton_kernels = kernels
    item = reference.case(triton_kernels, row)
    theirs, backend, _ = reference.front(item, reference.target(target))
    kernel = weft_kernels.CASES[row][0]
    ours = lower(kernel, item.signature, item.constexprs, item.attrs, BY_TARGET[target])
    path = tmp_path / "ours.mlir"
    path.write_text(print_module(ours))
    context = reference.context(backend)
    parsed = reference.ir.parse_mlir_module(str(path), context)
    assert passed(reference, parsed, context) == passed(reference, theirs, theirs.context)
