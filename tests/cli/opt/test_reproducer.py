"""Reproducers of failing pipelines: written and run by `weft opt`."""

from __future__ import annotations

import pytest

from weft.errors import ParseError, UnknownPassError
from weft.passes.reproducer import read_reproducer

MODULE = """\
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f(%x: i32) -> (i32, i32) {
    %y = arith.addi %x, %x : i32
    %z = arith.addi %x, %x : i32
    tt.return %y, %z : i32, i32
  }
}
"""
FAILS = ("-cse", "--convert-triton-to-tritongpu=target=cuda:90 num-warps=3")


def reproducer_of(pipeline: str, verify_each: str = "true") -> str:
    """Write a reproducer as MLIR does."""
    return f"""{MODULE}
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{pipeline}",
      disable_threading: false,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""


def test_a_failing_pipeline_writes_a_reproducer_that_fails(weft_command, tmp_path):
    path = tmp_path / "r.mlir"
    flag = f"--mlir-pass-pipeline-crash-reproducer={path}"
    failure = weft_command("opt", "-", *FAILS, flag, stdin=MODULE)
    assert failure.exit_code == 1
    assert f"reproducer generated at {path}" in failure.stderr
    text = path.read_text()
    assert text.count("arith.addi") == 2
    assert [one.name for one in read_reproducer(text).passes] == [
        "cse", "convert-triton-to-tritongpu"
    ]  # fmt: skip
    again = weft_command("opt", path, "--run-reproducer")
    assert again.exit_code == 1
    message = "num-warps must be a power of two"
    assert message in failure.stderr
    assert message in again.stderr


def test_a_local_reproducer_has_the_pass_that_failed(weft_command, tmp_path):
    path = tmp_path / "r.mlir"
    flags = (
        f"--mlir-pass-pipeline-crash-reproducer={path}",
        "--mlir-pass-pipeline-local-reproducer",
    )
    weft_command("opt", "-", *FAILS, *flags, stdin=MODULE)
    text = path.read_text()
    assert text.count("arith.addi") == 1
    (one,) = read_reproducer(text).passes
    assert one.name == "convert-triton-to-tritongpu"


def test_a_pipeline_that_succeeds_writes_nothing(weft_command, tmp_path):
    path = tmp_path / "r.mlir"
    flag = f"--mlir-pass-pipeline-crash-reproducer={path}"
    assert weft_command("opt", "-", "-cse", flag, stdin=MODULE).exit_code == 0
    assert not path.exists()


def test_a_reproducer_replaces_the_pipeline_of_the_command_line(weft_command):
    canonicalize = (
        "canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal "
        "test-convergence=false top-down=true}"
    )
    text = reproducer_of(f"builtin.module(any({canonicalize},cse))")
    result = weft_command("opt", "-", "--run-reproducer", "--dump-pass-pipeline", stdin=text)
    assert result.exit_code == 0, result.stderr
    assert "Pass Manager with 2 passes" in result.stderr
    assert result.stdout.count("arith.addi") == 1
    assert weft_command("opt", "-", stdin=text).stdout.count("arith.addi") == 2


def test_the_fields_of_a_reproducer():
    assert read_reproducer(reproducer_of("builtin.module(cse)")).verify_each
    assert not read_reproducer(reproducer_of("builtin.module(cse)", "false")).verify_each


def test_errors():
    with pytest.raises(ParseError, match="the file has no reproducer"):
        read_reproducer(MODULE)
    with pytest.raises(UnknownPassError, match="unknown pass convert-index-to-llvm"):
        read_reproducer(reproducer_of("builtin.module(any(convert-index-to-llvm))"))
