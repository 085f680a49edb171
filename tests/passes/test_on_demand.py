"""Passes that a pipeline names: loaded when there is work; what they do besides is done anyway."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from tests.examples.loading import EXAMPLES, load
from weft.compiler.options import CompileOptions
from weft.decisions import collecting
from weft.errors import WeftError
from weft.ir.rewriting import clone
from weft.ir.text import parse_module, print_module
from weft.passes import REGISTRY, named, pass_class
from weft.passes.common.canonicalize.convert_layout import PATTERNS
from weft.passes.on_demand import WORK, Named
from weft.pipelines import stages
from weft.targets import target

ROOT = Path(__file__).parents[2]
CHIPS = ("cuda:80", "cuda:100", "hip:gfx942")

# Nothing that a pass of WORK looks for, and something to fold, to drop, and to keep once.
FOLDABLE = """
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @foldable(%p: !tt.ptr<i32>, %n: i32, %yes: i1) {
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.addi %one, %two : i32
    %unread = arith.muli %n, %three : i32
    %sum = arith.addi %n, %three : i32
    %again = arith.constant 3 : i32
    %same = arith.addi %sum, %again : i32
    cf.cond_br %yes, ^left, ^right
  ^left:
    tt.store %p, %same : !tt.ptr<i32>
    cf.br ^end
  ^right:
    tt.store %p, %same : !tt.ptr<i32>
    cf.br ^end
  ^end:
    tt.return
  }
}
"""


def test_only_passes_of_the_registry_are_listed():
    assert WORK.keys() <= REGISTRY.keys()


@pytest.mark.parametrize("chip", [*CHIPS, "cpu"])
def test_every_pass_of_a_pipeline_takes_its_options(chip):
    for stage in stages(target(chip), CompileOptions()):
        for one in stage.passes:
            assert isinstance(one, Named)
            assert one.loaded() == pass_class(one.name)(**dict(one.options))


def test_a_named_pass_has_the_options_of_the_pass():
    one = named("triton-nvidia-gpu-fence-insertion", compute_capability=90)
    assert one == named("triton-nvidia-gpu-fence-insertion", compute_capability=90)
    assert one.compute_capability == 90
    with pytest.raises(AttributeError, match="no_such_option"):
        _ = one.no_such_option


@pytest.mark.parametrize("name", sorted(WORK))
def test_a_module_without_work_is_simplified_as_the_pass_does(name):
    given = {"emu_tf32": True} if name == "tritongpu-F32DotTC" else {}
    if name == "triton-nvidia-gpu-fence-insertion":
        given = {"compute_capability": 90}
    ours, theirs = parse_module(FOLDABLE), parse_module(FOLDABLE)
    assert not WORK[name].is_in(ours)
    named(name, **given).run(ours)
    pass_class(name)(**given).run(theirs)
    assert print_module(ours) == print_module(theirs)
    assert (print_module(ours) == print_module(parse_module(FOLDABLE))) == (
        WORK[name].instead is None
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_a_pass_without_work_would_have_done_nothing_else(chip):
    left_out = 0
    for example in EXAMPLES:
        kernel, signature, constexprs, options, *_ = load(example).CASES[0]
        try:
            left_out += _steps(kernel, signature, constexprs, options, chip)
        except WeftError:
            continue  # the chip does not do it at all
    assert left_out > 50


def _steps(kernel, signature, constexprs, options, chip):
    """Run a pipeline; return how many passes were left out, each the same as if it had been run."""
    compiled = weft.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=chip,
        stop_after="source",
        **options,
    )
    module, left_out = compiled.module("source"), 0
    for stage in stages(target(chip), compiled.metadata.options):
        for one in stage.passes:
            expected = None
            if one.name in WORK and not WORK[one.name].is_in(module):
                expected = clone(module, {})
                one.loaded().run(expected)
                left_out += 1
            one.run(module)
            assert expected is None or print_module(module) == print_module(expected), one.name
    return left_out


def test_operations_next_to_conversions_are_those_with_patterns():
    for cls in PATTERNS:
        probe = parse_module(FOLDABLE)
        assert not WORK["tritongpu-prefetch"].is_in(probe)
        probe.body.block.add_op(cls.create())
        assert WORK["tritongpu-prefetch"].is_in(probe), cls.name
        assert WORK["tritongpu-optimize-dot-operands"].is_in(probe), cls.name


def test_every_pass_runs_while_decisions_are_collected(monkeypatch):
    ran = []
    cls = pass_class("tritongpu-fuse-nested-loops")
    monkeypatch.setattr(cls, "run", lambda self, module: ran.append(self.name))
    named("tritongpu-fuse-nested-loops").run(parse_module(FOLDABLE))
    assert ran == []
    with collecting():
        named("tritongpu-fuse-nested-loops").run(parse_module(FOLDABLE))
    assert ran == ["tritongpu-fuse-nested-loops"]


_COMPILED = """
import sys
import weft
from tests.examples.loading import load
from weft.compiler.machine_code import lowered

kernel, signature, constexprs, options, *_ = load("vector_add").CASES[0]
made = weft.compile(kernel, signature=signature, constexprs=constexprs, target={chip!r})
lowered(made.module("ttgir"), made.metadata.options)
print(*(name for name in sys.modules if name.startswith(("weft", "xdsl", "tests"))))
"""

# What a kernel without dots, loops, reductions and descriptors has no use for.
UNUSED = (
    "weft.interpreter",
    "weft.language.random",
    "weft.language.sorting",
    "weft.language.standard",
    "weft.passes.ttgir.fuse_nested_loops",
    "weft.passes.ttgir.prefetch",
    "weft.kernel.launch_cache",
    "weft.launch.drivers.cpu",
    "weft.simulator",
    "xdsl.parser",
    "xdsl.printer",
)


@pytest.mark.parametrize(
    ("chip", "unused"),
    [
        ("cuda:90", ("weft.passes.amd", "weft.passes.nvidia", "weft.codegen.hardware.amd")),
        ("hip:gfx942", ("weft.passes.nvidia", "weft.codegen.hardware.nvidia")),
    ],
)
def test_a_small_kernel_loads_little(chip, unused):
    done = subprocess.run(
        [sys.executable, "-c", _COMPILED.format(chip=chip)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "tests.examples.loading" in loaded
    wrong = [name for name in loaded if name.startswith((*UNUSED, *unused))]
    assert not wrong
    assert sum(name.startswith("weft") for name in loaded) < 380
