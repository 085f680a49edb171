"""What a page shows of one compile."""

from __future__ import annotations

import inspect
from itertools import pairwise
from math import prod

import pytest

import weft
from tests.report.kernels import MASKED_SIGNATURE, SIGNATURE, larger, masked_add, matmul
from weft.errors import WeftError
from weft.ir.text import print_module
from weft.report.view import view_of

TARGETS = ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201")


@pytest.fixture(scope="module", params=TARGETS)
def view(request):
    return view_of(matmul, request.param, request.param, signature=SIGNATURE, trials=0)[0]


def test_texts_are_those_of_a_compile(view):
    compiled = weft.compile(matmul, signature=SIGNATURE, target=view.target)
    texts = {text.name: text for text in view.texts}
    assert "\n".join(texts["ttir"].lines) + "\n" == compiled.asm["ttir"]
    assert "\n".join(texts["ttgir"].lines) + "\n" == compiled.asm["ttgir"]
    assembly = "ptx" if view.target.startswith("cuda") else "amdgcn"
    assert any("matmul" in line for line in texts[assembly].lines)
    assert all(len(text.lines) == len(text.places) for text in view.texts)


def test_the_line_of_the_dot_is_found_in_every_text(view):
    source, first = inspect.getsourcelines(matmul.fn)
    dot_line = first + next(n for n, line in enumerate(source) if "tl.dot" in line)
    (dot,) = [n for n, place in enumerate(view.places) if place.line == dot_line]
    for text in view.texts:
        lines = [line for line, place in zip(text.lines, text.places, strict=True) if place == dot]
        assert lines, text.name
        if text.name in ("ttir", "ttgir"):
            assert any("dot" in line for line in lines)


def test_source_contains_the_kernel_and_its_callee(view):
    (source,) = view.sources
    assert source.lines[0] == "@weft.jit"
    text = "\n".join(source.lines)
    assert inspect.getsource(matmul.fn) in text + "\n"
    assert inspect.getsource(larger.fn).strip() in text


def test_steps_end_in_the_final_ir(view):
    assert view.steps[0].name == "source"
    changed = [step for step in view.steps if step.changed]
    assert all((step.text is not None) == step.changed for step in view.steps)
    final = changed[-1].text
    assert final is not None
    assert final.lines == next(text for text in view.texts if text.name == "ttgir").lines
    for before, after in pairwise(changed):
        assert before.text.lines != after.text.lines
    noted = {step.name for step in view.steps if step.decisions}
    assert {"tritongpu-coalesce", "convert-triton-to-tritongpu"} <= noted


def test_layouts_cover_their_tensors(view):
    assert view.layouts
    for layout in view.layouts:
        places = prod(1 << len(bases) for bases in layout.bases.values())
        assert places >= prod(layout.shape)
        assert layout.values
        assert all(
            len(basis) == len(layout.shape) for each in layout.bases.values() for basis in each
        )


def test_pictures_of_accesses_belong_to_the_entries_of_the_report(view):
    assert len(view.global_accesses) == len(view.report["memory"])
    assert len(view.bank_maps) == len(view.report["shared"])
    for picture, entry in zip(view.global_accesses, view.report["memory"], strict=True):
        assert picture.vector_bits == entry["vector_bits"]
        assert view.layouts[picture.layout].name == entry["layout"]


def test_buffers_fit_and_live_ones_do_not_overlap(view):
    memory = view.shared_memory
    assert memory.buffers
    assert memory.size <= memory.limit
    for number, one in enumerate(memory.buffers):
        assert 0 <= one.start < one.start + one.size <= memory.size
        assert 0 <= one.first <= one.last <= memory.operations
        for other in memory.buffers[number + 1 :]:
            together = one.first <= other.last and other.first <= one.last
            overlap = one.start < other.start + other.size and other.start < one.start + one.size
            assert not (together and overlap), (one, other)
    assert all(0 < number <= memory.operations for number in memory.barriers)
    assert len(memory.loops) == 1


def test_a_dump_has_no_steps(tmp_path):
    compiled = weft.compile(matmul, signature=SIGNATURE, target="cuda:90")
    path = tmp_path / "matmul.ttgir"
    path.write_text(print_module(compiled.module("ttgir"), locations=True))
    view, report = view_of(str(path), None, "dump")
    assert view.steps == ()
    assert view.target == report.target == "cuda:90"
    assert [text.name for text in view.texts][:3] == ["ttgir", "llir", "ptx"]
    with pytest.raises(WeftError, match="the layouts of the module are for cuda:90"):
        view_of(str(path), "cuda:80", "dump")


def test_a_kernel_needs_a_target():
    with pytest.raises(WeftError, match="a target is needed to compile for"):
        view_of(matmul, None, "no target", signature=SIGNATURE)


def test_layouts_of_the_optimum_are_drawn():
    """Each layout that a difference names has a picture for the shape of the difference."""
    pytest.importorskip("highspy")
    view, report = view_of(
        masked_add, "cuda:90", "x", signature=MASKED_SIGNATURE, trials=0, optimum=True
    )
    optimum = report.optimum
    assert optimum is not None
    assert optimum.kept is not None
    assert optimum.kept.choice == "optimal"
    assert optimum.triton == optimum.weft > optimum.cost
    pictures = {(each.name, each.shape, each.element_bits) for each in view.optimum_layouts}
    named = {
        (name, each.shape, each.element_bits)
        for each in optimum.differences
        for name in (*each.before, *each.after)
    }
    assert pictures == named
    load = next(each for each in optimum.differences if each.op == "tt.load")
    (before,), (after,) = load.before, load.after
    texts = {each.name: each.encoding for each in view.optimum_layouts}
    assert "sizePerThread = [4]" in texts[before]
    assert "sizePerThread = [1]" in texts[after]
    key = after, load.element_bits
    drawn = next(e for e in view.optimum_layouts if (e.name, e.element_bits) == key)
    assert load.value in drawn.values


def test_the_optimum_of_a_dump(tmp_path):
    pytest.importorskip("highspy")
    compiled = weft.compile(masked_add, signature=MASKED_SIGNATURE, target="cuda:90")
    path = tmp_path / "add.ttgir"
    path.write_text(print_module(compiled.module("ttgir"), locations=True))
    view, report = view_of(str(path), None, "dump", optimum=True)
    assert report.optimum is not None
    assert report.optimum.triton is None
    assert view.optimum_layouts
    assert view_of(str(path), None, "dump")[0].optimum_layouts == ()
