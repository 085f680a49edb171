"""A layout as bases and as Python."""

from __future__ import annotations

import pytest

from weft.cli.layout.expression import evaluate
from weft.cli.layout.reading import bases_text, read_layout
from weft.cli.layout.tensor_type import TensorType, read_type
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, LinearLayout, SliceEncoding, default_blocked, parse

BLOCKED = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensor<4x8xf16>", TensorType((4, 8), "f16", 16)),
        (" 4 x 8 x bf16 ", TensorType((4, 8), "bf16", 16)),
        ("16", TensorType((16,))),
        ("tensor<2x!tt.ptr<f16>>", TensorType((2,), "!tt.ptr<f16>", 64)),
        ("8xf8E5M2", TensorType((8,), "f8E5M2", 8)),
        ("8xf4E2M1FN", TensorType((8,), "f4E2M1FN", 4)),
        ("8xi1", TensorType((8,), "i1", 1)),
    ],
)
def test_types(text, expected):
    assert read_type(text) == expected
    assert read_type(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("layouts.BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))", BLOCKED),
        ("BlockedEncoding([1, 4], [4, 8], [4, 1], order=[1, 0])", BLOCKED),
        ("weft.layouts.SliceEncoding(1, BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0)))",
         SliceEncoding(1, BLOCKED)),
        ("default_blocked((16, 16), 4, 32)", default_blocked((16, 16), 4, 32)),
        (f"parse('{BLOCKED}')", BLOCKED),
        (f"parse('{BLOCKED}').linear((16, 32))", BLOCKED.linear((16, 32))),
        ("LinearLayout.identity_1d(4, 'lane', 'd') * LinearLayout.zeros_1d(2, 'warp', 'd')",
         LinearLayout.identity_1d(4, "lane", "d") * LinearLayout.zeros_1d(2, "warp", "d")),
        ("LinearLayout.from_bases({'lane': [[1], [2]]}, {'d': 4}).invert()",
         LinearLayout.from_bases({"lane": [[1], [2]]}, {"d": 4}).invert()),
    ],
)  # fmt: skip
def test_expressions(text, expected):
    assert evaluate(text) is expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os').system('true')", "<layout>:1:1: error: unknown name __import__"),
        ("BlockedEncoding.__subclasses__()", "unknown method __subclasses__"),
        ("BlockedEncoding.mro()", "unknown method mro"),
        ("().__class__", "unknown method __class__"),
        ("[x for x in ()]", "not accepted in a layout expression"),
        ("lambda: 0", "not accepted in a layout expression"),
        ("BlockedEncoding(*())", "not accepted in a layout expression"),
        ("BlockedEncoding(**{})", "not accepted in a layout expression"),
        ("default_blocked({**{}})", "not accepted in a layout expression"),
        ("default_blocked(1.5)", "not accepted in a layout expression"),
        ("3", "must build an encoding or a LinearLayout\n  found: 3"),
        ("(1)(2)", "not accepted in a layout expression"),
        ("2 ** 3", "only * between two LinearLayouts"),
        ("'a' * 1000", "only * between two LinearLayouts"),
        ("BlockedEncoding((1, 2)", "cannot read the expression"),
        ("BlockedEncoding((1, 2))", "invalid call: "),
        ("BlockedEncoding((1, 3), (1, 32), (1, 1), (1, 0))", "must hold powers of two"),
        ("BlokedEncoding()", "did you mean BlockedEncoding"),
        ("LinearLayout.identity(4)", "did you mean identity_1d"),
        ("(LinearLayout\n.foo())", "<layout>:1:2: error: unknown method foo"),
    ],
)
def test_expressions_that_are_refused(text, message):
    with pytest.raises(LayoutError) as error:
        evaluate(text)
    assert message in str(error.value)


def test_bases_round_trip():
    layout = BLOCKED.linear((16, 32))
    assert read_layout(bases_text(layout)).layout is layout


@pytest.mark.parametrize(
    "text",
    [
        "{lane = [[1, 0]], warp = []}",
        '{"lane": [[1, 0]], "warp": []}',
        "{'lane': [[1,0]],'warp':[]}",
    ],
)
def test_spellings_of_bases(text):
    layout = read_layout(text, read_type("2x4")).layout
    assert layout is not None
    assert layout.bases == {"lane": [[1, 0]], "warp": []}
    assert layout.out_dims == {"dim0": 2, "dim1": 4}


@pytest.mark.parametrize(
    ("text", "type_", "message"),
    [
        ("{lane = [[1, 0]", None, "cannot read the bases: "),
        ("{lane = [1, 2]}", None, "lane must be a list of basis vectors\n  found: [1, 2]"),
        ("{lane = [[true]]}", None, "lane must be a list of basis vectors"),
        ("{lane = []}", None, "bases without a vector need the tensor's type"),
        ("{lane = [[1, 0]]}", "4", "the basis vectors have 2 entries"),
        ("{lane = [[4]]}", "4", "must stay below the size 4 of dim0"),
        ("{lane = [[1], [2, 3]]}", None, "a basis vector of lane must have 1 entries"),
    ],
)
def test_bases_that_do_not_fit(text, type_, message):
    with pytest.raises(LayoutError) as error:
        read_layout(text, read_type(type_) if type_ else None)
    assert message in str(error.value)


def test_shape_that_the_layout_does_not_have():
    named = read_layout("LinearLayout.identity_1d(4, 'lane', 'dim0')")
    with pytest.raises(LayoutError, match="for another shape"):
        named.linear(TensorType((8,)))


def test_layouts_that_know_their_shape():
    shared = read_layout("#ttg.shared_linear<{offset = [[0, 1], [1, 0], [2, 1]]}, alignment = 16>")
    assert shared.linear(None) is parse(shared.text).linear((4, 2))
