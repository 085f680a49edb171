"""The outcomes of cases on a chip; the emulator may crash a process, which then starts again.

AMD_EMULATOR=… python -m tests.emulator.outcomes CHIP…           # prints outcomes.toml
AMD_EMULATOR=… python -m tests.emulator.outcomes --sample CHIP…  # prints sample.toml
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["CASES", "SAMPLE", "outcomes"]

SAMPLE: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("sample.toml").read_text()
)
"""Further kernels of tests/oracle/kernels, each on one chip, with their outcomes."""

# An example and the arguments of its `check`; see run_example.py.
CASES = (
    "vector_add float16 1000",
    "softmax float32 7 100",
    "softmax float16 7 100",
    "layer_norm bfloat16 3 256",
    "layer_norm_backward float32 5 40",
    "cross_entropy bfloat16 6 100",
    "rotary_embedding float16 3 4 32 False",
    "transpose float32 70 33",
    "transpose float16 70 33",
    "histogram float32 700 10",
    "prefix_scan float32 1024",
    "matmul float32 64 64 32 silu",
    "matmul float16 64 64 32 silu",
    "matmul bfloat16 37 45 83 none",
    "matmul float16 64 64 32 silu matrix_instr_nonkdim=16",
    "matmul bfloat16 37 45 83 none matrix_instr_nonkdim=16",
    "matmul float16 64 64 160 none num_stages=2 matrix_instr_nonkdim=16",
    "matmul float16 64 64 160 none num_stages=3 matrix_instr_nonkdim=16",
    "matmul bfloat16 50 64 150 none num_stages=4 matrix_instr_nonkdim=16",
    "matmul_block_pointer float16 64 64 128 False matrix_instr_nonkdim=16",
    "matmul_block_pointer float16 64 64 160 True num_stages=2 matrix_instr_nonkdim=16",
    "matmul_block_pointer bfloat16 50 64 160 True num_stages=3 matrix_instr_nonkdim=16",
    "matmul_block_pointer float16 64 64 192 True num_stages=4 matrix_instr_nonkdim=16",
    "matmul_descriptor float16 float16 64 64 128 False matrix_instr_nonkdim=16",
    "matmul_fp8 float8_e5m2 float32 64 64 64 matrix_instr_nonkdim=16",
    "matmul_fp8 float8_e4m3fn float32 64 64 64 matrix_instr_nonkdim=16",
    "matmul_mxfp4 bf16 bfloat16 32 64 64 matrix_instr_nonkdim=16",
    "attention float16 1 64 32 True matrix_instr_nonkdim=16",
    "attention bfloat16 1 37 16 False matrix_instr_nonkdim=16",
    "attention float16 1 128 32 True num_stages=3 matrix_instr_nonkdim=16",
    "package rms_norm_backward",
    "package rotate",
    "package kl_divergence",
    "package quantize_rows",
    "package dequantize_4_bits",
    "package top_k",
    "package linear_recurrence",
    "package causal_convolution",
    "package update_state",
    "package decode",
    "package count_experts",
    "kernel memory 16",
    "kernel memory 18 matrix_instr_nonkdim=16",
    "kernel control 7",
    "kernel conversions 0",
    "kernel packages 1 matrix_instr_nonkdim=16",
    "kernel packages 3 matrix_instr_nonkdim=16",
    "kernel packages 4 matrix_instr_nonkdim=16",
    "kernel packages 6",
    "kernel packages 13",
    "kernel packages 16",
    "kernel packages 17 matrix_instr_nonkdim=16",
    "kernel packages_attention 17 matrix_instr_nonkdim=16",
    "kernel packages_attention 19 matrix_instr_nonkdim=16",
    "kernel packages_matmul 12 matrix_instr_nonkdim=16",
    "kernel packages_matmul 13 matrix_instr_nonkdim=16",
    "kernel packages_matmul 19 matrix_instr_nonkdim=16",
    "kernel pipelined 9 matrix_instr_nonkdim=16",
    "kernel pipelined 12 matrix_instr_nonkdim=16",
    "kernel shapes 2",
)


def outcomes(chip: str, cases: Sequence[str] = CASES) -> Iterator[tuple[str, str]]:
    """Run cases on a chip, and yield each with its outcome."""
    rest = list(cases)
    while rest:
        before = len(rest)
        for case, outcome in _run(chip, rest):
            yield case, outcome
            rest.remove(case)
        if len(rest) == before:
            raise RuntimeError(f"no outcome of {rest[0]} on {chip}")


def _run(chip: str, cases: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Run cases in one process until it crashes."""
    command = [sys.executable, "-m", "tests.emulator.run_example", chip]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n".join(cases))
        process.stdin.close()
        case = ""
        for line in process.stdout:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "case":
                case = rest
            elif word == "outcome":
                yield case, rest
                case = ""
        if case and process.wait() > 0:
            errors.seek(0)
            yield case, f"error: {errors.read().strip().splitlines()[-1]}"
        elif case:
            yield case, "crash"


def main() -> None:
    """Print the table of chips."""
    is_sample = "--sample" in sys.argv
    for chip in sys.argv[1 + is_sample :]:
        print(f"[{chip}]", flush=True)
        for case, outcome in outcomes(chip, tuple(SAMPLE[chip]) if is_sample else CASES):
            escaped = outcome.replace("\\", "\\\\").replace('"', '\\"')
            print(f'"{case}" = "{escaped}"', flush=True)


if __name__ == "__main__":
    main()
