"""The spacing of printed directives, and the types that the text omits."""

from __future__ import annotations

from io import StringIO

import pytest
from xdsl.printer import Printer

from weft.ir import types
from weft.ir.assembly_format.state import ParsedTypes, PrintingState


@pytest.mark.parametrize(
    ("directives", "text"),
    [
        (["$x", ",", "$y"], " x, y"),
        (["$x", ":", "$t", "->", "$t"], " x : t -> t"),
        (["$x", "[", "$i", ",", "$j", "]", "$y"], " x[i, j] y"),
        (["into", "$x"], " into x"),
        (["(", "$x", ")"], "(x)"),
        (["load", "(", "$n", ")", "store", "(", "$n", ")"], " load(n) store(n)"),
        (["$x", "", "<", "$y", ">"], " x<y>"),
        (["$x", "", "$y"], " xy"),
        (["lhs", "=", "$x", "rhs", "=", "$y"], " lhs = x rhs = y"),
        (["$a", "*", "$b"], " a * b"),
        (["]", "["], "] ["),
        (["_x", "["], " _x["),
    ],
)
def test_spacing(directives: list[str], text: str) -> None:
    stream = StringIO()
    printer, state = Printer(stream=stream), PrintingState()
    for directive in directives:
        if not directive:
            state.suppress_blank()
        elif directive.startswith("$"):
            state.start_variable(printer)
            printer.print_string(directive[1:])
        else:
            state.print_literal(printer, directive)
    assert stream.getvalue() == text


def test_a_type_is_inferred_once_if_the_text_omits_it() -> None:
    calls: list[str] = []

    def infer(parsed: ParsedTypes):
        calls.append("infer")
        return types.tensor((4,), parsed["x"])

    parsed = ParsedTypes({"y": infer})
    parsed["x"] = types.i32
    assert "x" in parsed
    assert "y" not in parsed
    assert parsed["y"] == types.tensor((4,), types.i32)
    assert parsed["y"] == parsed.get("y")
    assert calls == ["infer"]
    with pytest.raises(TypeError, match="type of 'z' is neither given nor inferred"):
        parsed.get("z")
