from __future__ import annotations

import pytest

import weft
from tests.examples.loading import FOLDER
from weft.ir.text import print_module
from weft.ir.text.operation_lines import print_with_lines
from weft.kernel.files import load_cases, load_file


@pytest.mark.parametrize("name", ["matmul", "attention", "softmax"])
@pytest.mark.parametrize("stage", ["ttir", "ttgir"])
def test_each_operation_starts_on_its_line(name, stage):
    case = load_cases(load_file(str(FOLDER / f"{name}.py")))[0]
    module = weft.compile(
        case.kernel, signature=case.signature, constexprs=case.constexprs, target="cuda:90"
    ).module(stage)
    text, lines = print_with_lines(module)
    assert text == print_module(module, names=True)
    rows = text.splitlines()
    assert set(lines) == set(module.walk())
    for op, line in lines.items():
        name_in_text = "module" if op is module else op.name
        start = rows[line].strip().replace('"', "")  # of a name in generic form
        assert start.startswith(name_in_text) or (op.results and f"= {name_in_text}" in start)
    # Operations start in the order of the text, at most one on a line.
    assert list(lines.values()) == sorted(set(lines.values()))
