"""explain: kernels, dumps, and what cannot be explained."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import weft
from tests.examples.loading import load
from tests.explain.reports import copy, matmul
from weft.errors import PassError, WeftError
from weft.explain import explain
from weft.explain.text_report import text

ROOT = Path(__file__).parents[2]
SIGNATURE = "*fp32, *fp32, i32, 64"


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    """A file such as Triton writes: TTGIR without decisions."""
    signature = "*fp16:16, *fp16:16, *fp32:16, 64"
    kernel = weft.compile(matmul, signature=signature, target="hip:gfx942")
    file = tmp_path_factory.mktemp("dump") / "matmul.ttgir"
    file.write_text(kernel.text("ttgir", locations=True))
    return file


def test_a_compiled_kernel():
    report = explain(copy, signature=SIGNATURE, target="cuda:90", num_warps=2)
    assert (report.kernel, report.target, report.num_warps, report.lanes) == (
        "copy",
        "cuda:90",
        2,
        32,
    )
    assert report.ledger == "recorded"
    assert report.values
    assert all(value.reason for value in report.values)


def test_stages():
    stages = {
        stage: {
            change.stage
            for value in explain(
                copy, signature=SIGNATURE, target="cuda:90", stop_after=stage
            ).values
            for change in value.history
        }
        for stage in ("convert", "layout")
    }
    assert stages["convert"] == {"convert-triton-to-tritongpu"}
    assert "tritongpu-coalesce" in stages["layout"]


def test_a_dump(dump):
    report = explain(dump)
    assert report.ledger == "read back from the IR"
    assert report.values
    assert all(value.reason for value in report.values)
    assert "weft did not run the passes" in text(report)
    (dot,) = report.dots
    assert dot.instruction.startswith("mfma 32x32")
    assert "read off the layout" in dot.why
    assert report.shared
    assert explain(str(dump), target="hip:gfx942") == report


def test_a_dump_needs_no_triton(dump):
    code = (
        "import sys; sys.modules['triton'] = None; from weft.cli import main; "
        f"sys.argv = ['weft', 'explain', {str(dump)!r}]; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )
    assert result.returncode == 0, result.stderr
    assert "read back from the IR" in result.stdout


def test_ttir_is_compiled(tmp_path):
    kernel = weft.compile(copy, signature=SIGNATURE, target="cuda:90", stop_after="ttir")
    file = tmp_path / "copy.ttir"
    file.write_text(kernel.text("ttir"))
    assert explain(file, target="cuda:90").ledger == "recorded"
    with pytest.raises(WeftError, match="a target is needed"):
        explain(file)


def test_a_dump_of_another_target(dump):
    with pytest.raises(PassError, match="the layouts of the module are for hip:gfx942"):
        explain(dump, target="cuda:90")


def test_a_dump_without_a_target(dump, tmp_path):
    file = tmp_path / "nameless.ttgir"
    file.write_text(dump.read_text().replace('ttg.target = "hip:gfx942", ', ""))
    with pytest.raises(WeftError, match=r'missing module attribute "ttg\.target"'):
        explain(file)


def test_errors_of_explain(tmp_path):
    with pytest.raises(WeftError, match="a target is needed"):
        explain(copy, signature=SIGNATURE)
    for stage in ("source", "ttir"):
        with pytest.raises(WeftError, match="there are no layouts yet"):
            explain(copy, signature=SIGNATURE, target="cuda:90", stop_after=stage)
    with pytest.raises(WeftError, match="cannot read the file"):
        explain(tmp_path / "nothing.ttgir")


def test_a_gluon_kernel():
    example = load("gluon_transpose")
    constants = {
        "BLOCK_M": 32,
        "BLOCK_N": 32,
        "layout": example.LAYOUT,
        "memory": example.MEMORY,
    }
    report = explain(
        example.transpose,
        signature="*fp32:16, *fp32:16, i32, i32",
        constexprs=constants,
        target="cuda:90",
    )
    reasons = {change.why for value in report.values for change in value.history}
    assert "written by the author" in reasons
    assert "" not in reasons
    assert report.shared
