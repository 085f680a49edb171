"""Both forms of a signature give the same object, and errors name the argument."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.compiler.signature import Signature
from weft.errors import SignatureError
from weft.language.compound_types import pointer_type
from weft.language.dtypes import float16
from weft.language.kernel_function import KernelFunction


def _add(x, y, out, n, BLOCK: tl.constexpr, ACT: tl.constexpr = None):  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
    pass


ADD = KernelFunction(_add)
TYPES = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
ALIGNED = [["tt.divisibility", 16]]


def error_of(*args, **kwargs) -> str:
    with pytest.raises(SignatureError) as caught:
        Signature.of(ADD, *args, **kwargs)
    assert caught.value.location is not None
    assert "_add" in caught.value.message
    return str(caught.value)


def test_text_and_dictionaries_give_one_signature():
    text = Signature.of(ADD, "*fp32:16, *fp32:16, *fp32, i32:16, 1024")
    dictionaries = Signature.of(
        ADD, TYPES, {"BLOCK": 1024}, {(0,): ALIGNED, "y": ALIGNED, 3: ALIGNED}
    )
    assert text == dictionaries
    assert text.key == dictionaries.key
    assert text.signature == TYPES | {"ACT": "constexpr"}
    assert text.constexprs == {(4,): 1024, (5,): None}
    assert text.attrs == {(n,): [("tt.divisibility", 16)] for n in (0, 1, 3)}


def test_one_line_form_round_trips():
    text = "*fp16:16, *kbf16, (i32:16, (1, fp32)), i64, 'relu', (2, 4)"
    assert str(Signature.of(ADD, text)) == text
    assert Signature.of(ADD, str(Signature.of(ADD, text))) == Signature.of(ADD, text)


def test_hint_one_is_the_constant_one():
    assert Signature.of(ADD, "*fp32, *fp32, *fp32, i32:1, 8").constexprs[3,] == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10", 16),
        ("-1", -1),
        ("1e-6", 1e-6),
        ("inf", float("inf")),
        ("None", None),
        ("True", True),
        ("'a,b'", "a,b"),
        ("(1, 2)", (1, 2)),
        ("fp16", float16),
        ("tl.float16", float16),
    ],
)
def test_values_of_a_constexpr(text, value):
    read = Signature.of(ADD, f"*fp32, *fp32, *fp32, i32, {text}")
    assert read.constexprs[(4,)] == value


def test_named_constants_need_no_entry():
    assert Signature.of(ADD, "*fp32, *fp32, *fp32, i32", {"BLOCK": 4, "ACT": "relu"}) == (
        Signature.of(ADD, "*fp32, *fp32, *fp32, i32, 4, 'relu'")
    )
    assert Signature.of(ADD, "*fp32, *fp32, *fp32, i32, constexpr", {"BLOCK": 4}) == (
        Signature.of(ADD, TYPES, {(4,): 4})
    )


def test_a_signature_is_returned_as_it_is():
    one = Signature.of(ADD, TYPES, {"BLOCK": 4})
    assert Signature.of(ADD, one) is one


def test_constants_that_are_equal_in_python_have_different_keys():
    keys = {
        Signature.of(ADD, "*fp32, *fp32, *fp32, i32", {"BLOCK": value}).key
        for value in (1, 1.0, True)
    }
    assert len(keys) == 3


def test_runtime_arguments_leave_constants_out():
    signature = Signature.of(ADD, "*fp32, *fp32, (i32, 1, *u8), i32:1, 8")
    assert list(signature.runtime_arguments()) == [
        ((0,), "*fp32"),
        ((1,), "*fp32"),
        ((2, 0), "i32"),
        ((2, 2), "*u8"),
    ]


def test_keys_by_position_and_types_of_the_language():
    types = {0: pointer_type(float16), 1: "*fp16", "out": "*fp16", "n": "i32"}
    signature = Signature.of(ADD, types, {"BLOCK": np.int64(8)})
    assert str(signature) == "*fp16, *fp16, *fp16, i32, 8, None"


def test_tuples_in_dictionaries():
    signature = Signature.of(
        ADD, TYPES | {"n": ("i32", "constexpr")}, {"BLOCK": 8, (3, 1): 7}, {(3, 0): ALIGNED}
    )
    assert str(signature) == "*fp32, *fp32, *fp32, (i32:16, 7), 8, None"


def test_too_few_entries():
    text = error_of("*fp32, *fp32")
    assert "the signature has 2 entries for 6 arguments" in text
    assert "no entry for out, n, BLOCK, ACT" in text
    assert "accepted: x, y, out, n, BLOCK: constexpr, ACT: constexpr" in text


def test_too_many_entries():
    assert "no parameter for 8" in error_of("*fp32, *fp32, *fp32, i32, 4, None, 8")


def test_unknown_type_suggests():
    text = error_of("*fp3, *fp32, *fp32, i32, 4")
    assert "argument 0 (x): unknown type '*fp3'" in text
    assert "did you mean fp32" in text


def test_unclosed_bracket():
    assert "unclosed bracket" in error_of("tensordesc<fp16[128,64>, *fp32, *fp32, i32, 4")


@pytest.mark.parametrize(
    ("entry", "accepted"),
    [
        ("*fp32:8", "*fp32, *fp32:16, *fp32:16S, *fp32:S"),
        ("*fp32:1", "*fp32, *fp32:16, *fp32:16S, *fp32:S"),
        ("i32:4", "i32, i32:16, i32:1"),
        ("fp32:16", "fp32"),
    ],
)
def test_wrong_hint(entry, accepted):
    text = error_of(f"{entry}, *fp32, *fp32, i32, 4")
    assert "cannot have the hint" in text
    assert f"accepted: {accepted}\n" in f"{text}\n"


def test_a_type_for_a_constexpr_is_an_error():
    text = error_of("*fp32, *fp32, *fp32, i32, *fp32")
    assert "argument 4 (BLOCK) is declared tl.constexpr and takes a value" in text


def test_constant_without_value():
    text = error_of(TYPES)
    assert "argument 4 (BLOCK) is a constexpr without a value" in text
    assert "constexprs={'BLOCK': value}" in text


def test_two_values_for_a_constant():
    text = error_of("*fp32, *fp32, *fp32, i32, 4, None", {"BLOCK": 8})
    assert "one value in the text and another by name" in text


def test_unknown_names():
    assert "did you mean BLOCK?" in error_of(TYPES, {"BLOK": 4})
    assert "signature names an unknown parameter" in error_of(TYPES | {"m": "i32"}, {"BLOCK": 4})
    assert "a path (0,) … (5,)" in error_of(TYPES, {(9,): 4})
    assert "has no item [1]" in error_of(TYPES, {"BLOCK": 4, (0, 1): 4})


def test_omitted_types():
    assert "the signature has no entry for y, out, n" in error_of({"x": "*fp32"}, {"BLOCK": 4})


def test_attributes():
    assert "unknown attribute" in error_of(TYPES, {"BLOCK": 4}, {0: [["tt.divisible", 16]]})
    assert "cannot be 12" in error_of(TYPES, {"BLOCK": 4}, {0: [["tt.divisibility", 12]]})
    assert "cannot be 64" in error_of(TYPES, {"BLOCK": 4}, {0: [["tt.pointer_range", 64]]})
    assert "pair of name and value" in error_of(TYPES, {"BLOCK": 4}, {0: ["tt.divisibility"]})
    assert "pair of name and value" in error_of(TYPES, {"BLOCK": 4}, {0: 16})


def test_attributes_of_constants_are_ignored():
    plain = Signature.of(ADD, TYPES, {"BLOCK": 4, "n": 16})
    assert Signature.of(ADD, TYPES, {"BLOCK": 4, "n": 16}, {3: ALIGNED, 4: ALIGNED}) == plain
    assert not plain.attrs


def test_item_of_a_constant_that_is_not_a_tuple():
    assert "is an item of a tuple" in error_of(TYPES | {"n": ("constexpr",)}, {"BLOCK": 4, "n": 3})


def test_neither_str_nor_dict():
    assert "a signature is a str or a dict" in error_of(3)


@given(st.text(alphabet="*kfpib163248,:()<>[]'\" consttrue-.", max_size=40))
def test_any_text_is_read_or_a_signature_error(text):
    with contextlib.suppress(SignatureError):
        Signature.of(ADD, text)


def test_a_key_that_is_not_a_path():
    assert "has a key that is not a parameter" in error_of(TYPES, {(): 4})
    assert "has a key that is not a parameter" in error_of(TYPES, {"BLOCK": 4}, {(0, -1): ALIGNED})


def test_hint_for_small_arrays():
    text = "*fp32:16S, *fp32:S, *fp32, i32:16, 1024"
    signature = Signature.of(ADD, text)
    assert signature.attrs[(0,)] == [("tt.divisibility", 16), ("tt.pointer_range", 32)]
    assert signature.attrs[(1,)] == [("tt.pointer_range", 32)]
    assert str(signature) == f"{text}, None"
    with pytest.raises(SignatureError, match="cannot have the hint 'S'"):
        Signature.of(ADD, "*fp32, *fp32, *fp32, i32:S, 1024")
