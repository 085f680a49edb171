"""Any text is parsed and printed the same again, or rejected with line and column.

WEFT_FUZZ_EXAMPLES sets the number of texts (`make fuzz`: 100,000).
"""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.law import check
from tests.fuzz.mutation import KINDS, Edit, spoil
from tests.ir.dialect_files import MODULES
from weft.errors import WeftError
from weft.ir.text import parse_module
from weft.ir.verifier import verify

SAMPLES = list(MODULES.values())
EXAMPLES = int(os.environ.get("WEFT_FUZZ_EXAMPLES", "300"))
MANY_EXAMPLES = 2000

NUMBERS = st.integers(0, 2**16 - 1)
EDITS = st.lists(st.builds(Edit, st.sampled_from(KINDS), NUMBERS, NUMBERS), min_size=1, max_size=4)


@pytest.mark.parametrize("count", [EXAMPLES, pytest.param(MANY_EXAMPLES, marks=pytest.mark.slow)])
def test_mutated_samples(count):
    @settings(
        max_examples=count,
        deadline=timedelta(seconds=10),  # far above the time of any text: detects endless loops
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.sampled_from(range(len(SAMPLES))), EDITS)
    def check_mutation(sample, edits):
        check(spoil(SAMPLES[sample], edits, SAMPLES))

    check_mutation()


@settings(max_examples=max(EXAMPLES // 10, 100), deadline=timedelta(seconds=10))
@given(st.text(max_size=80))
def test_any_text(text):
    check(text)


@pytest.mark.parametrize("sample", SAMPLES)
def test_unmutated_text_parses(sample):
    assert check(sample)


# Texts that once ended otherwise, and what is said of them now.
MISTAKES = {
    "a block defined twice": (
        "module {\n  tt.func @f() {\n    cf.br ^bb1\n  ^bb1:\n    tt.return\n"
        "  ^bb1:\n    tt.return\n  }\n}",
        (6, 3, "redefinition of block '^bb1'"),
    ),
    "a very wide integer": (
        f"module attributes {{a = 1 : i{10**18}}} {{}}",
        (1, 28, "integer bitwidth is limited to 16777215 bits"),
    ),
    "too many bits for the type": (
        f"module attributes {{a = 0x{'F' * 40} : f32}} {{}}",
        (1, 24, "number out of range of its type"),
    ),
    "a string without end": (
        f'module attributes {{a = "{"x" * 60}\n}} {{}}',
        (1, 24, "expected '\"' in string literal"),
    ),
    "an operation after a comment": ("module {} // c", None),
    "blanks before a symbol": (f"module {' ' * 60}@f {{}}", None),
    "a sign alone": ("module {\n  %\n}", (2, 3, "expected a name after %")),
    "deep nesting": (f"module attributes {{a = {'[' * 5000}", (1, 0, "nested too deeply")),
    "types that the custom form does not print": (
        "module {\n  tt.func @f(%p: !tt.ptr<f32>, %n: i32) {\n"
        '    %0 = "tt.make_tensor_descriptor"(%p, %n, %n) <{padding = 1 : i32}> '
        ": (!tt.ptr<f32>, i32, i32) -> !tt.tensordesc<tensor<8xf32>>\n    tt.return\n  }\n}\n",
        (3, 10, "operand #2 must be variadic of 64-bit signless integer, but got 'i32'"),
    ),
    "an alias with the body of an attribute": (
        "module attributes {a = #smem<array<i32>>} {}",
        (1, 0, "'smem.array' is not registered"),
    ),
    "letters that ASCII has not": ('module attributes {"tt.é" = "\\C3\\A9\\FF"} {}', None),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_once_found(name):
    text, said = MISTAKES[name]
    if said is None:
        assert check(text)
        return
    line, column, message = said
    assert not check(text)
    with pytest.raises(WeftError) as caught:
        verify(parse_module(text, "f"))
    assert message in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.line == line
    assert column in (0, caught.value.location.column)
