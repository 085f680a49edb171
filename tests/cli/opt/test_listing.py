"""What `weft opt` says of itself."""

from __future__ import annotations

from weft.cli.opt.flags import SPELLINGS


def test_list_passes(weft_command):
    lines = weft_command("opt", "--list-passes").stdout.splitlines()
    assert lines[0].split()[0] == "pass"
    assert any(line.startswith("canonicalize ") for line in lines)
    at = next(i for i, line in enumerate(lines) if line.startswith("convert-triton-to-tritongpu "))
    options = [line.strip() for line in lines[at:]]
    assert "target=str (required)" in options
    assert "num-warps=int (4)" in options


def test_help(weft_command):
    for flag in ("--help", "-h", "-help"):
        text = weft_command("opt", flag).stdout
        assert text.startswith("Usage: weft opt")
        assert all(f"-{name}" in text for name in SPELLINGS)


def test_dialects(weft_command):
    text = weft_command("opt", "--show-dialects").stdout
    assert text.startswith("Available Dialects: ")
    assert {"tt", "ttg", "arith"} <= set(text.split(": ")[1].strip().split(","))


def test_the_pipeline_can_be_run_again(weft_command):
    flags = ("-cse", "--convert-triton-to-tritongpu=target=cuda:90", "-dump-pass-pipeline")
    head, pipeline, *_ = weft_command("opt", *flags, stdin="module {\n}\n").stderr.splitlines()
    assert head == "Pass Manager with 2 passes:"
    assert pipeline.startswith("builtin.module(cse,convert-triton-to-tritongpu{target=cuda:90 ")
    again = weft_command(
        "opt", f"--pass-pipeline={pipeline}", "-dump-pass-pipeline", stdin="module {\n}\n"
    )
    assert again.stderr.splitlines()[1] == pipeline
