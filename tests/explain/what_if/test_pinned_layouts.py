"""Values of final TTGIR in other layouts: meaning, legality, and where conversions are."""

from __future__ import annotations

import pytest

from tests.explain.advice import kernels
from weft.compiler.machine_code import lower_ttgir
from weft.compiler.options import options_for
from weft.errors import WeftError
from weft.explain.labels import Labels
from weft.explain.layout_history import values_with_layouts
from weft.explain.what_if.pinned_layouts import pin_layout, read_layout
from weft.ir import types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.ir.ttg import ConvertLayoutOp
from weft.kernel.compile import compile
from weft.layouts import Encoding
from weft.passes import Pass
from weft.targets import target
from weft.testing import check_pass

SQUARES = "*fp32:16, *fp32:16, *fp32:16, 32"
MATMUL = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 32, 32, 32"
FOR_LOOP = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [0, 1]}>"  # noqa: E501


def module_of(kernel, signature, chip="cuda:80") -> ModuleOp:
    return compile(kernel, signature=signature, target=chip).module("ttgir")


def names_and_layouts(module) -> tuple[dict[str, tuple[int, ...]], set[Encoding]]:
    """Map each value to its shape, and collect the layouts."""
    labels = Labels(module)
    values = list(values_with_layouts(module))
    shapes = {labels.value(value): types.shape(value.type) for value, _ in values}
    return shapes, {encoding for _, encoding in values}


class _Replace(Pass):
    """Replace the body of a module by that of another one."""

    name = "replace"

    def __init__(self, module: ModuleOp) -> None:
        self.module = module

    def run(self, module: ModuleOp) -> None:
        module.regions[0].detach_block(module.body.block)
        region = self.module.regions[0]
        module.regions[0].add_block(region.detach_block(self.module.body.block))


@pytest.mark.parametrize(
    ("kernel", "signature", "chip", "scalars", "step"),
    [
        (kernels.add_transposed, SQUARES, "cuda:80", {}, 7),
        (kernels.add_transposed, SQUARES, "hip:gfx942", {}, 7),
        (kernels.matmul, MATMUL, "cuda:80", {3: 64, 4: 64, 5: 96}, 37),
        (kernels.matmul, MATMUL, "hip:gfx942", {3: 64, 4: 64, 5: 96}, 37),
        (kernels.row_sum, "*fp32:16, *fp32:16, i32:16, 256", "cuda:80", {2: 200}, 3),
    ],
)
def test_every_value_in_every_layout_keeps_the_meaning(kernel, signature, chip, scalars, step):
    module = module_of(kernel, signature, chip)
    shapes, layouts = names_and_layouts(module)
    options = options_for(target(chip), {})
    count = 0
    for number, name in enumerate(sorted(shapes)):
        for layout in sorted(layouts, key=str):
            if (number + len(str(layout))) % step:
                continue  # a part of all pairs
            try:
                pinned = list(pin_layout(module, name, layout))
            except WeftError:
                continue  # a layout that does not fit the value
            for each in pinned:
                lower_ttgir(each, options)
                replacement = _Replace(each)  # pyright: ignore[reportAbstractUsage]
                check_pass(module, [replacement], grid=(2,), scalars=scalars, seeds=[1])
                count += 1
    assert count > 3


def test_the_value_has_the_layout():
    module = module_of(kernels.add_transposed, SQUARES)
    labels = Labels(module)
    names = {labels.value(op.results[0]) for op in walk(module) if op.name == "arith.addf"}
    (name,) = names
    layout = read_layout("#blocked", module)
    plain, *others = pin_layout(module, name, layout)
    (addition,) = [op for op in walk(plain) if op.name == "arith.addf"]
    assert types.encoding(addition.results[0].type) == layout
    assert sum(isinstance(op, ConvertLayoutOp) for op in walk(plain)) == 1
    assert len(others) == 3


def test_a_value_that_a_loop_carries():
    module = module_of(kernels.matmul, MATMUL, "hip:gfx942")
    labels = Labels(module)
    (loop,) = [op for op in walk(module) if op.name == "scf.for"]
    carried = next(each for each in loop.results if types.is_tensor(each.type))
    layout = types.encoding(carried.type)
    assert layout is not None
    shape = types.shape(carried.type)
    blocked = read_layout(
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], "
        "order = [0, 1]}>",
        module,
    ) if len(shape) == 2 else None  # fmt: skip
    if blocked is None:
        pytest.skip("the loop carries no tile")
    plain = next(pin_layout(module, labels.value(carried), blocked))
    (new_loop,) = [op for op in walk(plain) if op.name == "scf.for"]
    index = loop.results.index(carried)
    assert types.encoding(new_loop.results[index].type) == blocked


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("#none", "unknown layout #none"),
        ("#ttg.blocked<{sizePerThread = [1]}>", "unknown layout"),
        ("#ttg.slice<{dim = 0, parent = #blocked}>", "does not fit"),
        (FOR_LOOP.replace("[4, 1]", "[8, 1]"), "over the threads of the kernel"),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
            "over the threads of the kernel",
        ),
    ],
)
def test_illegal_layouts(layout, message):
    module = module_of(kernels.add_transposed, SQUARES)
    labels = Labels(module)
    name = next(labels.value(op.results[0]) for op in walk(module) if op.name == "arith.addf")
    with pytest.raises(WeftError, match=message):
        list(pin_layout(module, name, read_layout(layout, module)))


def test_unknown_values():
    module = module_of(kernels.add_transposed, SQUARES)
    with pytest.raises(WeftError, match="no tensor is called %nothing"):
        list(pin_layout(module, "%nothing", read_layout("#blocked", module)))


def test_layouts_by_name_and_text():
    module = parse_module(str(compile(kernels.add_transposed, signature=SQUARES, target="cuda:80")
                              .asm["ttgir"]))  # fmt: skip
    blocked = read_layout("#blocked", module)
    assert read_layout(str(blocked), module) == blocked
    parent = read_layout("#ttg.slice<{dim = 0, parent = #blocked}>", module)
    assert read_layout("slice dim 0 of #blocked", module) == parent
