"""No keyword of a function of the language is silent.

Each changes the machine code of a kernel (a case is a statement in which the keyword is added or
changed), acts during compilation, is refused, or warns.
"""

from __future__ import annotations

import inspect
import linecache
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest

import weft
import weft.language as tl
from weft.errors import CompilationError, IgnoredOptionWarning, WeftError
from weft.kernel.jit import JITFunction
from weft.language.builtin import Builtin
from weft.language.kernel_function import KernelFunction
from weft.language.tensor_descriptors import METHODS


class Case(NamedTuple):
    """Two uses of a function in a kernel.

    Attributes:
        statement: A statement with `{}` in the place of the keyword.
        without: The text in its place at first.
        changed: The text in its place then.
        target: The target.
        options: Launch options.
        stage: The text to compare; "" is the machine code.
    """

    statement: str
    without: str
    changed: str
    target: str = "cuda:90"
    options: dict[str, object] = {}  # noqa: RUF012
    stage: str = ""


HEADER = """\
import sys
import weft
import weft.language as tl

@weft.jit
def plus(a, b):
    return a + b

@weft.jit
def double(a):
    return a * 2

@weft.jit
def scale_pair(a, b):
    return a * 2, b * 3

@weft.jit
def kernel(x, y, k, h, n):
    i = tl.arange(0, 64)
    i2 = i[:, None] * 64 + i[None, :]
    first = i[:, None] < n
"""
SIGNATURE = "*fp32:16, *fp32:16, *i32:16, *fp16:16, i32"

VECTOR = "v = tl.load(x + i); "
TILE = "t = tl.load(x + i2); "
INTEGERS = "j = tl.load(k + i); "
HALVES = "a = tl.load(h + i2); b = tl.load(h + 4096 + i2); "
FLOATS = "a = tl.load(x + i2); b = tl.load(x + 4096 + i2); "
BYTES = "a = tl.load(h + i2).to(tl.float8e4nv); b = tl.load(h + 4096 + i2).to(tl.float8e4nv); "
PACKED = "c = tl.load(k + i2).to(tl.uint8); s = tl.load(k + i[:, None] * 4 + tl.arange(0, 4)[None, :]).to(tl.uint8); p = tl.load(k + i[:, None] * 2 + tl.arange(0, 2)[None, :]).to(tl.uint8); "  # fmt: skip  # noqa: E501
BLOCK = "q = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (64, 64), (1, 0)); "


def stored(setup: str, call: str, without: str, changed: str, **others: object) -> Case:
    """Make the case of a call whose result is stored as a vector or as a broadcast tile."""
    return Case(f"{setup}tl.store(y + i2, {call})", without, changed, **others)  # pyright: ignore


def vector(setup: str, call: str, without: str, changed: str, **others: object) -> Case:
    """Make the case of a call whose result, a vector or scalar, is stored."""
    return Case(f"{setup}tl.store(y + i, {call})", without, changed, **others)  # pyright: ignore


SCALED_DOT = 'tl.dot_scaled(c, p, "e4m3", tl.trans(c), p, "e4m3"{})'
CASES: dict[str, Case] = {
    "add.sanitize_overflow": vector(
        INTEGERS, "tl.add(j, n{})", "", ", sanitize_overflow=False", options={"debug": True}
    ),
    "sub.sanitize_overflow": vector(
        INTEGERS, "tl.sub(j, n{})", "", ", sanitize_overflow=False", options={"debug": True}
    ),
    "mul.sanitize_overflow": vector(
        INTEGERS, "tl.mul(j, n{})", "", ", sanitize_overflow=False", options={"debug": True}
    ),
    **{
        f"{name}.propagate_nan": vector(
            VECTOR, f"tl.{name}({args}{{}})", "", ", propagate_nan=tl.PropagateNan.ALL"
        )
        for name, args in (
            ("minimum", "v, 2.0"), ("maximum", "v, 2.0"), ("clamp", "v, 0.5, n.to(tl.float32)"),
        )
    },
    **{
        f"{name}.{key}": case
        for name in ("argmax", "argmin")
        for key, case in (
            ("tie_break_left", vector(TILE, f"tl.{name}(t, 1{{}})", "", ", tie_break_left=False")),
            ("keep_dims", stored(TILE, f"tl.{name}(t, 1{{}})", "", ", keep_dims=True")),
        )
    },
    **{
        f"{name}.{key}": case
        for name in ("max", "min")
        for key, case in (
            ("axis", vector(TILE, f"tl.{name}(t, {{}})", "axis=0", "axis=1")),
            ("return_indices", Case(
                f"{TILE}{{}}; tl.store(y + i, m)",
                f"m = tl.{name}(t, 1)", f"_, m = tl.{name}(t, 1, return_indices=True)",
            )),
            ("return_indices_tie_break_left", Case(
                f"{TILE}_, m = tl.{name}(t, 1, return_indices=True{{}}); tl.store(y + i, m)",
                "", ", return_indices_tie_break_left=False",
            )),
            ("keep_dims", stored(TILE, f"tl.{name}(t, 1{{}})", "", ", keep_dims=True")),
        )
    },
    "sum.axis": vector(TILE, "tl.sum(t, {})", "axis=0", "axis=1"),
    "sum.keep_dims": stored(TILE, "tl.sum(t, 1{})", "", ", keep_dims=True"),
    "sum.dtype": vector(TILE, "tl.sum(t, 1{})", "", ", dtype=tl.float64"),
    "xor_sum.axis": vector("t = tl.load(k + i2); ", "tl.xor_sum(t, {})", "axis=0", "axis=1"),
    "xor_sum.keep_dims": stored("t = tl.load(k + i2); ", "tl.xor_sum(t, 1{})", "", ", keep_dims=True"),  # noqa: E501
    "reduce_or.keep_dims": stored("t = tl.load(k + i2); ", "tl.reduce_or(t, 1{})", "", ", keep_dims=True"),  # noqa: E501
    "reduce.keep_dims": stored(TILE, "tl.reduce(t, 1, plus{})", "", ", keep_dims=True"),
    "topk.descending": vector(TILE, "tl.sum(tl.topk(t, 8{}), 1)", "", ", descending=False"),
    "associative_scan.reverse": vector(VECTOR, "tl.associative_scan(v, 0, plus{})", "", ", reverse=True"),  # noqa: E501
    "cumsum.axis": stored(TILE, "tl.cumsum(t{})", "", ", axis=1"),
    "cumsum.reverse": vector(VECTOR, "tl.cumsum(v{})", "", ", reverse=True"),
    "cumsum.dtype": vector(VECTOR, "tl.cumsum(v{})", "", ", dtype=tl.float64"),
    "cumprod.axis": stored(TILE, "tl.cumprod(t{})", "", ", axis=1"),
    "cumprod.reverse": vector(VECTOR, "tl.cumprod(v{})", "", ", reverse=True"),
    "softmax.dim": stored(TILE, "tl.softmax(t{}, keep_dims=True)", "", ", dim=1"),
    "softmax.keep_dims": stored(TILE, "tl.softmax(t, 1{})", "", ", keep_dims=True"),
    "map_elementwise.pack": stored(
        TILE, "tl.map_elementwise({})", "double, t", "scale_pair, t, pack=2"
    ),
    "histogram.mask": Case(f"{INTEGERS}tl.store(k + i, tl.histogram(j, 64{{}}))", "", ", mask=i < n"),  # noqa: E501
    "cast.fp_downcast_rounding": Case(
        f"{VECTOR}tl.store(h + i, tl.cast(v, tl.float16{{}}))", "", ', fp_downcast_rounding="rtz"'
    ),
    "cast.bitcast": Case(f"{VECTOR}tl.store(k + i, tl.cast(v, tl.int32{{}}))", "", ", bitcast=True"),  # noqa: E501
    "cat.can_reorder": Case(
        f"{VECTOR}tl.store(y + tl.arange(0, 128), tl.cat(v, tl.sum(tl.load(x + i2), 1){{}}))",
        "", ", can_reorder=True",
    ),
    "cat.dim": vector(
        "r = tl.arange(0, 32); a = tl.load(x + r[:, None] * 64 + r[None, :] * n); ",
        "tl.sum(tl.sum(tl.cat(a, a + 1{}), 1) * 2)", "", ", dim=1",
    ),
    "condition.disable_licm": Case(
        "m = n\n    while tl.condition(m > 0{}):\n        m -= tl.load(k + m)\n    tl.store(k, m)",
        "", ", disable_licm=True", stage="llir",
    ),
    "range.arg2": vector("v = i\n    for j in tl.range(n{}):\n        v += j * i * j\n    ", "v", "", ", 100"),  # noqa: E501
    "range.step": vector("v = i\n    for j in tl.range(0, n{}):\n        v += j * i * j\n    ", "v", "", ", 3"),  # noqa: E501
    "static_range.arg2": vector("v = i\n    for j in tl.static_range(1{}):\n        v += tl.load(k + j)\n    ", "v", "", ", 3"),  # noqa: E501
    "static_range.step": vector("v = i\n    for j in tl.static_range(0, 4{}):\n        v += tl.load(k + j)\n    ", "v", "", ", 2"),  # noqa: E501
    "device_assert.msg": Case(
        f"{VECTOR}tl.device_assert(v < 1{{}})", "", ', "too large"', options={"debug": True}
    ),
    "device_assert.mask": Case(
        f"{VECTOR}tl.device_assert(v < 1{{}})", "", ", mask=i < n", options={"debug": True}
    ),
    "device_print.hex": Case(f'{VECTOR}tl.device_print("v", v{{}})', "", ", hex=True"),
    "dot.acc": stored(HALVES + TILE, "tl.dot(a, b{})", "", ", acc=t"),
    "dot.input_precision": stored(FLOATS, "tl.dot(a, b{})", "", ', input_precision="ieee"'),
    "dot.allow_tf32": stored(FLOATS, "tl.dot(a, b{})", "", ", allow_tf32=False"),
    "dot.max_num_imprecise_acc": stored(BYTES, "tl.dot(a, b{})", "", ", max_num_imprecise_acc=32"),
    "dot.out_dtype": stored(HALVES, "tl.dot(a, b{})", "", ", out_dtype=tl.float16"),
    "dot_scaled.acc": stored(PACKED + TILE, SCALED_DOT, "", ", acc=t"),
    "dot_scaled.fast_math": stored(PACKED, SCALED_DOT, "", ", fast_math=True"),
    "dot_scaled.lhs_k_pack": vector(
        PACKED, 'tl.sum(tl.dot_scaled(c, {}))',
        's, "e2m1", tl.trans(c), s, "e2m1"',
        'tl.join(p, p).reshape(128, 2), "e2m1", tl.trans(c), p, "e4m3", lhs_k_pack=False',
        target="hip:gfx950",
    ),
    "dot_scaled.rhs_k_pack": vector(
        PACKED, "tl.sum(tl.dot_scaled(c, {}))",
        's, "e2m1", tl.trans(c), s, "e2m1"',
        'p, "e4m3", tl.trans(c), tl.join(p, p).reshape(128, 2), "e2m1", rhs_k_pack=False',
        target="hip:gfx950",
    ),
    "flip.dim": stored(TILE, "tl.flip(t{})", "", ", dim=0"),
    "sort.descending": stored(TILE, "tl.sort(t{})", "", ", descending=True"),
    "sort_impl.k": vector(TILE, "tl.sum(tl.standard.sort_impl(t{}), 1)", "", ", k=8"),
    "sort_impl.descending": stored(TILE, "tl.standard.sort_impl(t{})", "", ", descending=True"),
    "bitonic_merge.descending": stored(TILE, "tl.bitonic_merge(t{})", "", ", descending=True"),
    "inline_asm_elementwise.is_pure": Case(
        f'{VECTOR}tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [v], tl.float32, {{}}, 1)',
        "True", "False",
    ),
    "load.mask": vector("", "tl.load(x + i{})", "", ", mask=i < n"),
    "load.other": vector("", "tl.load(x + i, mask=i < n{})", "", ", other=1.0"),
    "load.boundary_check": stored(BLOCK, "tl.load(q{})", "", ", boundary_check=(0,)"),
    "load.padding_option": stored(
        BLOCK, "tl.load(q, boundary_check=(0,){})", "", ', padding_option="nan"'
    ),
    "load.cache_modifier": vector("", "tl.load(x + i{})", "", ', cache_modifier=".cg"'),
    "load.eviction_policy": vector("", "tl.load(x + i{})", "", ', eviction_policy="evict_first"'),
    "load.volatile": vector("", "tl.load(x + i{})", "", ", volatile=True"),
    "store.mask": vector(VECTOR, "v{}", "", ", mask=i < n"),
    "store.boundary_check": Case(BLOCK + TILE + "tl.store(q, t{})", "", ", boundary_check=(0,)"),
    "store.cache_modifier": vector(VECTOR, "v{}", "", ', cache_modifier=".cs"'),
    "store.eviction_policy": vector(VECTOR, "v{}", "", ', eviction_policy="evict_first"'),
    "make_tensor_descriptor.padding_option": stored(
        "", "tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64]{}).load([n, n])",
        "", ', padding_option="nan"',
    ),
    "ravel.can_reorder": Case(
        f"{TILE}tl.store(y + tl.arange(0, 4096), tl.ravel(tl.trans(t){{}}))", "", ", can_reorder=True"  # noqa: E501
    ),
    "reshape.can_reorder": Case(
        f"{TILE}tl.store(y + tl.arange(0, 4096), tl.reshape(tl.trans(t), [4096]{{}}))",
        "", ", can_reorder=True",
    ),
    **{
        f"{name}.n_rounds": Case(f"r = tl.{name}({args}{{}}){item}; tl.store(y + i, r)", "", ", n_rounds=6")  # noqa: E501
        for name, args, item in (
            ("rand", "n, i", ""), ("randint", "n, i", ""), ("randn", "n, i", ""),
            ("rand4x", "n, i", "[1]"), ("randint4x", "n, i", "[1]"), ("randn4x", "n, i", "[1]"),
            ("philox", "n, i, i, i, i", "[1]"),
            ("philox_impl", "*(i.to(tl.uint32),) * 4, 7, 8", "[1]"),
        )
    },
    "atomic_cas.sem": Case("tl.atomic_cas(k + i, 0, 1{})", "", ', sem="relaxed"'),
    "atomic_cas.scope": Case("tl.atomic_cas(k + i, 0, 1{})", "", ', scope="sys"'),
    **{
        f"{name}.{key}": Case(f"tl.{name}(k + i, i{{}})", "", text)
        for name in (
            "atomic_add", "atomic_and", "atomic_max", "atomic_min", "atomic_or", "atomic_xchg",
            "atomic_xor",
        )
        for key, text in (
            ("mask", ", mask=i < n"), ("sem", ', sem="relaxed"'), ("scope", ', scope="sys"'),
        )
    },
    "target_info.cuda_capability_geq.minor": vector(
        "", "1.0 if tl.target_info.cuda_capability_geq(9{}) else 2.0", "", ", minor=1"
    ),
}  # fmt: skip

# Keyword: the statement that is refused, and the error.
REFUSED = {
    "sort.dim": (TILE + "tl.store(y + i2, tl.sort(t, dim=0))", "only the last dimension"),
    "sort_impl.dim": (TILE + "tl.standard.sort_impl(t, dim=0)", "only the last dimension"),
    "bitonic_merge.dim": (TILE + "tl.bitonic_merge(t, dim=0)", "only the last dimension"),
    "topk.dim": (TILE + "tl.topk(t, 8, dim=0)", "only the last dimension"),
    "dot_scaled.out_dtype": (
        PACKED + SCALED_DOT.format(", out_dtype=tl.float16"), "Only float32 is supported"
    ),
}  # fmt: skip

# Keyword: the statement that warns, and the warning.
WARNED = {
    "fdiv.ieee_rounding": ("tl.fdiv(1.0, n * 1.0, ieee_rounding=True)", "use tl.div_rn"),
    "softmax.ieee_rounding": (
        TILE + "tl.softmax(t, 1, True, ieee_rounding=True)", "use tl.div_rn"
    ),
}  # fmt: skip

# Keyword: a call during compilation, and its output or the text of its error.
COMPILE_TIME = {
    "static_assert.msg": ('tl.static_assert(1 > 2, "too small")', "too small"),
    "static_print.sep": ('tl.static_print(1, 2, sep="-")', "1-2\n"),
    "static_print.end": ('tl.static_print(1, end="!")', "1!"),
    "static_print.file": ("tl.static_print(1, file=sys.stderr)", ""),
    "static_print.flush": ("tl.static_print(1, flush=True)", "1\n"),
}

LOOP_ATTRIBUTES = {f"range.{name}" for name in list(inspect.signature(tl.range).parameters)[3:]}
"""The keywords of tl.range that tests/compiler/test_option_effects.py covers."""


def functions() -> Iterator[Builtin | KernelFunction]:
    """Iterate over the functions of the language that kernels call."""
    from weft.language import extra, math, random, standard, target_info

    modules = (tl, math, random, standard, target_info, extra.cuda, extra.hip)
    by_id = {
        id(value): value
        for module in modules
        for name in dir(module)
        if not name.startswith("_")
        and isinstance(value := getattr(module, name), Builtin | KernelFunction)
    }
    yield from by_id.values()
    yield from METHODS.values()


def name_of(function: Builtin | KernelFunction) -> str:
    """Name a function as kernels do after `tl.`."""
    name = function.qualified_name if isinstance(function, Builtin) else function.name
    return name.removeprefix("math.")


def keywords() -> set[str]:
    """List the parameters with a default of all functions: "load.mask"."""
    return {
        f"{name_of(function)}.{name}"
        for function in functions()
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


def test_every_keyword_has_a_case():
    covered = {*CASES, *REFUSED, *WARNED, *COMPILE_TIME, *LOOP_ATTRIBUTES}
    required = {"inline_asm_elementwise.is_pure"}
    assert keywords() | required == covered


def kernel_of(statement: str) -> JITFunction:
    """Define a kernel with a statement after the header, always in the same file and line."""
    name = "<kernel>"
    text = f"{HEADER}    {statement}\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def ttir(statement: str) -> str:
    """Compile a kernel with a statement to TTIR."""
    compiled = weft.compile(
        kernel_of(statement), signature=SIGNATURE, target="cuda:90", stop_after="ttir"
    )
    return compiled.asm["ttir"]


@pytest.fixture(autouse=True)
def line_info_is_disabled(monkeypatch):
    """Leave out line info: each keyword would change it."""
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")


def machine_code(case: Case, text: str) -> str:
    """Compile a kernel with `text` in the place of the keyword."""
    kernel = kernel_of(case.statement.format(text))
    compiled = weft.compile(kernel, signature=SIGNATURE, target=case.target, options=case.options)
    code = compiled.asm[case.stage or ("ptx" if "cuda" in case.target else "amdgcn")]
    return re.sub("//.*", "", code)


@pytest.mark.parametrize("keyword", CASES)
def test_a_keyword_has_an_effect(keyword):
    case = CASES[keyword]
    assert machine_code(case, case.without) != machine_code(case, case.changed)


@pytest.mark.parametrize("keyword", ["device_assert.msg", "dot_scaled.lhs_k_pack"])
def test_the_same_statement_has_the_same_code(keyword):
    case = CASES[keyword]
    assert machine_code(case, case.without) == machine_code(case, case.without)


@pytest.mark.parametrize("keyword", REFUSED)
def test_a_keyword_is_refused(keyword):
    statement, message = REFUSED[keyword]
    with pytest.raises(WeftError, match=message):
        ttir(statement)


@pytest.mark.parametrize("keyword", WARNED)
def test_a_keyword_without_effect_warns(keyword):
    statement, message = WARNED[keyword]
    with pytest.warns(IgnoredOptionWarning, match=message):
        ttir(statement)


@pytest.mark.parametrize("keyword", COMPILE_TIME)
def test_a_keyword_acts_during_compilation(keyword, capsys):
    statement, text = COMPILE_TIME[keyword]
    if "assert" in keyword:
        with pytest.raises(CompilationError, match=text):
            ttir(statement)
        return
    ttir(statement)
    assert capsys.readouterr().out == text


def test_output_is_flushed(monkeypatch):
    stream = Mock(wraps=sys.stdout)
    monkeypatch.setattr(sys, "stdout", stream)
    ttir("tl.static_print(1)")
    stream.flush.assert_not_called()
    ttir("tl.static_print(1, flush=True)")
    stream.flush.assert_called()


def test_options_of_python_range_warn():
    with pytest.warns(IgnoredOptionWarning, match=r"only tl\.range\(\) has options"):
        ttir("for j in range(0, n, num_stages=2):\n        tl.store(k + j, j)")


def test_a_warning_is_given_once():
    statement, _ = WARNED["fdiv.ieee_rounding"]
    kernel = kernel_of(statement)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("default")
        for target in ("cuda:80", "cuda:90"):
            weft.compile(kernel, signature=SIGNATURE, target=target, stop_after="ttir")
    assert len(issued) == 1
