"""No option of the command line is silent: adding or changing it changes what a command does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from weft.cli.app import app
from weft.cli.opt.flags import FLAGS

KERNELS = """\
import numpy as np
import weft
import weft.language as tl
from weft.testing import Bench


@weft.jit
def copy(x, y, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) * SCALE)


@weft.jit
def product(a, b, c, n):
    i = tl.arange(0, 64)
    tile = i[:, None] * 64 + i[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        total = tl.dot(tl.load(a + k * 64 + tile), tl.load(b + k * 64 + tile), total)
    tl.store(c + tile, total)


@weft.jit
def masked(x, n):
    i = tl.arange(0, 1024)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)


def launch(n):
    copy[(1,)](np.ones(n, np.float32), np.empty(n, np.float32), BLOCK=n)


CASES = ((copy, "*fp32:16, *fp32, 64", {}, {}), (copy, "*fp16, *fp16, 128", {"SCALE": 2}, {}))
if __name__ == "__main__":
    import sys

    launch(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
"""
BENCHES = """
def make(n):
    return np.ones(n, np.float32), np.empty(n, np.float32)


def run(x, y):
    copy[(1,)](x, y, BLOCK=x.size)


BENCHES = (Bench(copy, "n", (64, 128), make, run, {}, moved=lambda n: 8 * n),)
"""
IMPORTS_TRITON = "import triton\nprint(triton.__name__)\n"
COMPILE = "compile k.py::product -t cuda:90 -s *fp16:16,*fp16:16,*fp32:16,i32"
EXPLAIN = "explain k.py::product -t cuda:90 -s *fp16:16,*fp16:16,*fp32:16,i32"
REPORT = "report k.py::product -t cuda:90 -s *fp16:16,*fp16:16,*fp32:16,i32 -o out.html"
REPORT_CASE = "report k.py -t cuda:90 -o out.html"
LAUNCHES = "explain k.py -t cuda:90 --launches"
CHECK = "check k.py -t cuda:90 --baseline out.json --update"
CHECK_BASELINE = "check k.py -t cuda:90 --baseline baseline.json"
CASE = "compile k.py -t cuda:90 --emit ttir"
LAYOUT = "layout #ttg.blocked<{sizePerThread=[1,2],threadsPerWarp=[8,4],warpsPerCTA=[2,2],order=[1,0]}> -t tensor<32x32xf16>"  # noqa: E501
UNALIGNED = "compile k.py::masked -t cuda:90 -s *fp16:16,i32"
OTHER = "#ttg.blocked<{sizePerThread=[2,1],threadsPerWarp=[4,8],warpsPerCTA=[2,2],order=[0,1]}>"
SHARED = "#ttg.swizzled_shared<{vec=1,perPhase=1,maxPhase=1,order=[1,0]}>"
BENCH = "bench k.py --device cpu --ms 1"

# Option: a command line, and what is added to it; arguments have no blanks.
CASES: dict[str, tuple[str, str]] = {
    "compile --target": (CASE.replace("cuda:90", "cuda:80").replace("ttir", "ttgir"), "-t cuda:90"),
    "compile --signature": (CASE, "-s *fp32,*fp32,32"),
    "compile --constexpr": (CASE, "-c BLOCK=32 -s *fp32,*fp32,constexpr"),
    "compile --case": (CASE, "--case 1"),
    "compile --num-warps": (COMPILE, "-w 8"),
    "compile --num-stages": (COMPILE, "--num-stages 4"),
    "compile --num-ctas": (COMPILE, "--num-ctas 2"),
    "compile --layouts": (UNALIGNED, "--layouts optimal"),
    "compile --option": (COMPILE, "--option num_warps=8"),
    "compile --emit": (COMPILE, "--emit ttir"),
    "compile --stop-after": (COMPILE, "--stop-after convert"),
    "compile --locations": (COMPILE, "--locations"),
    "compile --output": (COMPILE, "-o out.txt"),
    "explain --target": (EXPLAIN, "-t cuda:80"),
    "explain --signature": ("explain k.py -t cuda:90", "-s *fp32,*fp32,32"),
    "explain --constexpr": ("explain k.py -t cuda:90", "-c BLOCK=32 -s *fp32,*fp32,constexpr"),
    "explain --case": ("explain k.py -t cuda:90", "--case 1"),
    "explain --num-warps": (EXPLAIN, "-w 8"),
    "explain --num-stages": (EXPLAIN, "--num-stages 4"),
    "explain --layouts": ("explain k.py::masked -t cuda:90 -s *fp16:16,i32", "--layouts refined"),
    "explain --option": (EXPLAIN, "--option num_warps=8"),
    "explain --stop-after": (EXPLAIN, "--stop-after convert"),
    "explain --json": (EXPLAIN, "--json"),
    "explain --line": (EXPLAIN, "--line 19"),
    "explain --value": (EXPLAIN, "--value %total"),
    "explain --against": (EXPLAIN, "--against num_warps=8"),
    "explain --output": (EXPLAIN, "-o out.txt"),
    "explain --optimum": (EXPLAIN, "--optimum"),
    "explain --launches": ("explain k.py -t cuda:90", "--launches"),
    "explain --argument": (LAUNCHES, "--argument 32"),
    "explain --values": (EXPLAIN, "--values"),
    "explain --trials": (EXPLAIN, "--trials 0"),
    "explain --set": (EXPLAIN, "--set num_warps=8"),
    "explain --assume": (EXPLAIN, "--assume n==1"),
    "explain --diff": (EXPLAIN, "--diff tritongpu-coalesce"),
    "report --target": (REPORT_CASE.replace("cuda:90", "cuda:80"), "-t cuda:90"),
    "report --signature": (REPORT_CASE, "-s *fp32,*fp32,32"),
    "report --constexpr": (REPORT_CASE, "-c BLOCK=32 -s *fp32,*fp32,constexpr"),
    "report --case": (REPORT_CASE, "--case 1"),
    "report --num-warps": (REPORT, "-w 8"),
    "report --num-stages": (REPORT, "--num-stages 4"),
    "report --layouts": (
        "report k.py::masked -t cuda:90 -s *fp16:16,i32 -o out.html",
        "--layouts refined",
    ),
    "report --option": (REPORT, "--option num_warps=8"),
    "report --optimum": (REPORT, "--optimum"),
    "report --launches": (REPORT_CASE, "--launches"),
    "report --argument": (f"{REPORT_CASE} --launches", "--argument 32"),
    "report --as-triton": ("report imports_triton.py -t cuda:90", "--as-triton"),
    "report --output": ("report k.py -t cuda:90 -o out.html", "-o out.txt"),
    "check --baseline": (CHECK, "--baseline out.txt"),
    "check --target": (CHECK, "-t hip:gfx942"),
    "check --option": (CHECK, "--option num_warps=8"),
    "check --update": (CHECK_BASELINE, "--update"),
    "check --registers": (CHECK.replace("cuda:90", "hip:gfx942"), "--registers"),
    "check --tolerance": (CHECK_BASELINE, "--tolerance global_instructions=900"),
    "check --launches": (CHECK, "--launches"),
    "check --argument": (f"{CHECK} --launches", "--argument 32"),
    "check --as-triton": (CHECK.replace("k.py", "imports_triton.py"), "--as-triton"),
    "run --as-triton": ("run", "--as-triton imports_triton.py"),
    "run --check": ("run", "--check k.py"),
    "run --json": ("run", "--check --json k.py"),
    "run --output": ("run", "--check -o out.txt k.py"),
    "run --simulate": ("run", "--simulate cuda:90 k.py"),
    "run --counters": ("run --simulate cuda:90", "--counters k.py"),
    "run --layouts": ("run", "--layouts narrow k.py"),
    "run --module": ("run", "-m json.tool --help"),
    "compile --as-triton": ("compile imports_triton.py -t cuda:90", "--as-triton"),
    "explain --as-triton": ("explain imports_triton.py -t cuda:90", "--as-triton"),
    "bench --as-triton": ("bench imports_triton.py --device cpu", "--as-triton"),
    "bench --layouts": (BENCH, "--layouts narrow"),
    "bench --call": (BENCH, "--call None"),
    "bench --device": (BENCH, "--device tpu"),
    "bench --target": (BENCH, "-t cuda:90"),
    "bench --ms": (BENCH, "--ms none"),
    "bench --json": (BENCH, "--json"),
    "bench --plot": ("bench benches.py --device cpu --ms 1", "--plot out.svg"),
    "layout -l": ("layout", f"-l {OTHER} -t tensor<32x32xf16>"),
    "layout --tensor": (LAYOUT, "-t tensor<64x32xf16>"),
    "layout --input": ("layout", "-i k.ttgir"),
    "layout --alias-names": ("layout -i k.ttgir", "--alias-names blocked"),
    "layout --view": (LAYOUT, "--view hardware"),
    "layout --use-hw-view": (LAYOUT, "--use-hw-view"),
    "layout --linear": (LAYOUT, "--linear"),
    "layout --format": (LAYOUT, "--format json"),
    "layout --color": (f"{LAYOUT} --format svg", "--color warp"),
    "layout --banks": (LAYOUT, f"--banks {SHARED}"),
    "layout --to": (LAYOUT, f"--to {OTHER}"),
    "layout --best": (f"{LAYOUT} --to {OTHER}", "--best swizzle"),
    "layout --coalescing": (LAYOUT, "--coalescing"),
    "layout --target": (f"{LAYOUT} --to {OTHER}", "--target hip:gfx942"),
    "layout --output": (LAYOUT, "-o out.txt"),
    "cache clear --older-than": ("cache clear", "--older-than -1"),
    "--version": ("", "--version"),
}
BASELINE = """{"kernels": {"k.py::copy(*fp32:16, *fp32, 64), cuda:90":
    {"totals": {"global instructions": 1}, "accesses": {}}}}"""
OPT = "opt k.ttir -canonicalize -cse"
SPLIT = "opt two.ttir --split-input-file"
FAILS = "opt duplicate.ttir -cse -tritongpu-accelerate-matmul"
STAGE = "opt k.ttir --stage=convert --target cuda:90"

# Flag of `weft opt`: a command line, and what is added to it.
OPT_CASES: dict[str, tuple[str, str]] = {
    "split_input_file": ("opt two.ttir", "--split-input-file"),
    "verify_diagnostics": ("opt invalid.ttir", "--verify-diagnostics"),
    "verify_roundtrip": (OPT, "--verify-roundtrip=2"),
    "allow_unregistered_dialect": ("opt unknown.ttir", "--allow-unregistered-dialect"),
    "pipeline": ("opt duplicate.ttir", "-p cse"),
    "stage": ("opt k.ttir", "--stage=convert --target cuda:90"),
    "target": (STAGE, "--target hip:gfx942"),
    "num_warps": (STAGE, "--num-warps 8"),
    "num_ctas": (STAGE, "--num-ctas 2"),
    "launch": (STAGE, "--option num_warps=8"),
    "dump_pass_pipeline": (OPT, "--dump-pass-pipeline"),
    "run_reproducer": ("opt reproducer.mlir", "--run-reproducer"),
    "crash_reproducer": (FAILS, "--mlir-pass-pipeline-crash-reproducer=out.mlir"),
    "local_reproducer": (
        f"{FAILS} --mlir-pass-pipeline-crash-reproducer=out.mlir",
        "--mlir-pass-pipeline-local-reproducer",
    ),
    "disable_threading": (OPT, "--mlir-disable-threading"),
    "output": (OPT, "-o out.mlir"),
    "output_split_marker": (SPLIT, "--output-split-marker=//====="),
    "locations": (OPT, "--locations"),
    "names": ("opt k.ttir", "--mlir-use-nameloc-as-prefix"),
    "generic": (OPT, "--mlir-print-op-generic"),
    "local_scope": ("opt k.ttgir", "--mlir-print-local-scope"),
    "before_all": (OPT, "--mlir-print-ir-before-all"),
    "after_all": (OPT, "--mlir-print-ir-after-all"),
    "before": (OPT, "--mlir-print-ir-before=cse"),
    "after": (OPT, "--mlir-print-ir-after=cse"),
    "after_change": ("opt k.ttir -cse --mlir-print-ir-after-all", "--mlir-print-ir-after-change"),
    "after_failure": ("opt k.ttir -tritongpu-accelerate-matmul", "--print-ir-after-failure"),
    "module_scope": ("opt k.ttir -cse --print-ir-after-all", "--mlir-print-ir-module-scope"),
    "diff": ("opt duplicate.ttir -cse", "--print-ir-diff"),
    "timing": (OPT, "--timing"),
    "timing_display": (f"{OPT} --timing", "--mlir-timing-display=list"),
    "list_passes": ("opt", "--list-passes"),
    "show_dialects": ("opt", "--show-dialects"),
    "help": ("opt", "--help"),
}  # fmt: skip
DUPLICATE = """\
tt.func public @k(%a: i32) -> (i32, i32) {
  %x = arith.addi %a, %a : i32
  %y = arith.addi %a, %a : i32
  tt.return %x, %y : i32, i32
}
"""
REPRODUCER = """
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(cse)"
    }
  }
#-}
"""


def options() -> Iterator[str]:
    """Iterate over the options of all verbs but `opt`."""

    def walk(command: Any, name: str) -> Iterator[str]:
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield f"{name} {parameter.opts[0]}".strip()
        for verb, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{name} {verb}".strip())

    yield from walk(typer.main.get_command(app), "")


def test_every_option_has_a_case():
    assert set(options()) == CASES.keys()
    assert {flag.field for flag in FLAGS} == {*OPT_CASES, "verify_each"}


@pytest.fixture(scope="module")
def ir_files(tmp_path_factory) -> dict[str, str]:
    """Compile the matrix product to TTIR and TTGIR."""
    folder = tmp_path_factory.mktemp("ir")
    (folder / "k.py").write_text(KERNELS)
    line = COMPILE.replace("k.py", str(folder / "k.py")).split()
    texts: dict[str, str] = {}
    for stage in ("ttir", "ttgir"):
        result = CliRunner().invoke(app, [*line, "--emit", stage])
        assert result.exit_code == 0, result.stderr
        texts[f"k.{stage}"] = result.stdout
    return texts


@pytest.fixture
def observe(weft_command, ir_files, tmp_path, monkeypatch):
    """Run a command in a folder of sample files; return all that it wrote, without times."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    for name, text in {
        "k.py": KERNELS, "benches.py": KERNELS + BENCHES, "imports_triton.py": IMPORTS_TRITON,
        "duplicate.ttir": DUPLICATE, "two.ttir": f"{DUPLICATE}// -----\n{DUPLICATE}",
        "unknown.ttir": '"foo.bar"() : () -> ()\n', "invalid.ttir": "// expected-error {{x}}\n",
        "reproducer.mlir": DUPLICATE + REPRODUCER, "baseline.json": BASELINE, **ir_files,
    }.items():  # fmt: skip
        Path(name).write_text(text)

    def run(line: str) -> tuple[object, ...]:
        for file in tmp_path.glob("out.*"):
            file.unlink()
        result = weft_command(*line.split())
        files = {file.name: file.read_text() for file in tmp_path.glob("out.*")}
        texts = (result.stdout, result.stderr, *files.values())
        times = r"[\d.]+|\s+|─+" if line.startswith("bench") else r"\d+\.\d+|\s+"
        return result.exit_code, *files, *(re.sub(times, " ", text) for text in texts)

    return run


@pytest.mark.parametrize("option", CASES)
def test_an_option_has_an_effect(option, observe):
    line, added = CASES[option]
    assert observe(line) != observe(f"{line} {added}")


@pytest.mark.parametrize("flag", OPT_CASES)
def test_a_flag_of_opt_has_an_effect(flag, observe):
    line, added = OPT_CASES[flag]
    without, changed = observe(line), observe(f"{line} {added}")
    if flag == "disable_threading":  # the help says that it is only accepted
        assert without == changed
    else:
        assert without != changed


def test_passes_are_verified_on_request(observe, monkeypatch):
    calls: list[object] = []
    monkeypatch.setattr("weft.passes.pipeline._verify_after", lambda *args: calls.append(args))
    observe("opt duplicate.ttir -cse --verify-each=false")
    assert not calls
    observe("opt duplicate.ttir -cse")
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("compile k.ttir -t cuda:90 -s *fp32", "--signature needs a kernel"),
        ("compile k.ttir -t cuda:90 -c BLOCK=2", "--constexpr needs a kernel"),
        ("explain k.ttgir --case 1", "--case needs a kernel"),
        (f"{COMPILE} --emit ptx --locations", "--locations needs IR"),
        (f"{COMPILE} -w 4 --option num_warps=8", "num_warps is given twice"),
        (f"{LAYOUT} --linear --view hardware", "--view hardware is a text view"),
        ("bench benches.py --device cpu --ms 1 64", "BENCHES take no arguments"),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused(line, message, observe):
    code, *texts = observe(line)
    assert code == 1
    assert any(message in str(text) for text in texts)
