"""Remaining conversions: plans, costs in and outside of loops, anchors and alternatives."""

from __future__ import annotations

from tests.explain.modules import module_of, named, required
from tests.explain.reports import matmul, transpose
from weft.decisions import Cost, Decision
from weft.explain import explain
from weft.explain.conversions import find_conversions
from weft.explain.labels import Labels
from weft.explain.model import Change
from weft.ir import types
from weft.layouts.plans import conversion as plan_conversion
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target

MEMORY = target("cuda:90").shared_memory


def conversions_of(module, *, memory: SharedMemory | None = MEMORY, warps=4, history=None):
    return list(find_conversions(module, Labels(module), memory, warps, history or {}))


def convert(before: str, after: str, element: str = "f16", source: str = "%a") -> str:
    return (
        f"%b = ttg.convert_layout {source} : tensor<64x64x{element}, {before}> -> "
        f"tensor<64x64x{element}, {after}>"
    )


def test_through_shared_memory():
    module = module_of(convert("#row", "#column"), "%a: tensor<64x64xf16, #row>")
    (conversion,) = conversions_of(module)
    assert (conversion.plan, conversion.type) == ("shared", "64x64xf16")
    assert (conversion.before, conversion.after) == ("#blocked", "#blocked1")
    assert (conversion.size_bytes, conversion.barriers) == (8192, 1)
    assert (conversion.loop_depth, conversion.anchors, conversion.removal) == (0, (None, None), ())
    instructions = sum(count for _, count in conversion.instructions)
    assert conversion.cost == instructions + conversion.passes // 4 + 20
    (of_one_warp,) = conversions_of(module, warps=0)
    assert of_one_warp.cost == instructions + conversion.passes + 20


def test_in_a_loop():
    body = f"""
    scf.for %i = %n to %n step %n  : i32 {{
      {convert("#row", "#column")}
    }}"""
    outside = module_of(convert("#row", "#column"), "%a: tensor<64x64xf16, #row>")
    inside = module_of(body, "%a: tensor<64x64xf16, #row>, %n: i32")
    (first,), (second,) = conversions_of(outside), conversions_of(inside)
    assert (second.loop_depth, second.cost) == (1, 16 * first.cost)


def test_pointers_have_64_bits():
    element = "!tt.ptr<f16>"
    module = module_of(convert("#row", "#column", element), f"%a: tensor<64x64x{element}, #row>")
    (conversion,) = conversions_of(module)
    assert conversion.size_bytes == 64 * 64 * 8


def test_without_a_plan():
    module = module_of(convert("#row", "#column"), "%a: tensor<64x64xf16, #row>")
    (conversion,) = conversions_of(module, memory=None)
    assert (conversion.plan, conversion.instructions, conversion.cost) == ("unknown", (), 0)


def test_conflicts_of_stores_and_loads_are_added():
    module = module_of(convert("#row", "#column", "f64"), "%a: tensor<64x64xf64, #row>")
    (conversion,) = conversions_of(module)
    source = named(module, "ttg.convert_layout")
    layouts = [
        required(types.encoding(value.type)).linear((64, 64))
        for value in (source.operands[0], source.results[0])
    ]
    cost = plan_conversion(*layouts, 64, MEMORY).cost
    assert conversion.passes == cost.write_passes + cost.read_passes
    assert conversion.conflicts == cost.write_conflicts + cost.read_conflicts
    assert conversion.shared_bytes == cost.shared_bytes


def test_a_compared_cost_is_an_alternative():
    module = module_of(convert("#row", "#column"), "%a: tensor<64x64xf16, #row>")
    value = named(module, "ttg.convert_layout").results[0]

    def removal(*costs: Cost) -> tuple[str, ...]:
        decision = Decision("remove", "op", "kept", "it is cheaper", costs=costs)
        changes = (Change("a", "", ""), Change("remove", "", "", decision))
        (conversion,) = conversions_of(module, history={value: changes})
        return conversion.removal

    both = Cost("convert", 12), Cost("rematerialize", 30)
    assert removal(*both) == ("remove compared convert 12 and rematerialize 30: it is cheaper",)
    assert removal(both[0]) == removal() == ()


def test_alternatives_of_accesses():
    report = explain(transpose, signature="*fp16:16, *fp16:16, i32:16, 64", target="cuda:90")
    (conversion,) = report.conversions
    assert [required(anchor).op for anchor in conversion.anchors] == ["tt.load", "tt.store"]
    load, store = conversion.removal
    line = required(required(conversion.anchors[0]).location).line
    assert load == (
        f"tt.load at line {line} in #blocked1: 2-byte accesses instead of 16, 1024 sectors instead "
        "of 256, 128 requests"
    )
    assert store.startswith(f"tt.store at line {line + 1} in #blocked: 2-byte accesses")


def test_alternatives_of_a_dot():
    signature = "*fp16:16, *fp16:16, *fp32:16, 64"
    report = explain(matmul, signature=signature, target="cuda:80")
    (conversion,) = report.conversions
    dot, store = conversion.removal
    line = required(required(conversion.anchors[0]).location).line
    assert dot == (f"tt.dot at line {line} cannot have #blocked: its instruction fixes the layout")
    assert store == (
        f"tt.store at line {line + 1} in #mma: 8-byte accesses instead of 16, 512 sectors instead "
        "of 512, 64 requests"
    )


def test_no_alternatives_with_several_users():
    uses = """
    %p0 = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #column>
    tt.store %p0, %b : tensor<64x64x!tt.ptr<f16>, #column>"""
    arguments = "%a: tensor<64x64xf16, #row>, %x: !tt.ptr<f16>"
    once = module_of(convert("#row", "#column") + uses, arguments)
    store = uses.splitlines()[-1]
    twice = module_of(convert("#row", "#column") + uses + "\n" + store, arguments)
    (conversion,) = conversions_of(once)
    assert [text.partition(" at ")[0] for text in conversion.removal] == ["tt.store"]
    (conversion,) = conversions_of(twice)
    assert conversion.removal == ()
