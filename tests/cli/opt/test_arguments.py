"""The command line of `weft opt`: triton-opt's spellings and ours."""

from __future__ import annotations

import pytest

from weft.cli.opt.arguments import read_arguments
from weft.cli.opt.flags import FLAGS, SPELLINGS, Kind, Options
from weft.errors import WeftError


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("f.mlir -canonicalize --cse", Options("f.mlir", ("canonicalize", "cse"))),
        ("- -triton-combine -o out", Options("-", ("triton-combine",), output="out")),
        ("f -o=out", Options("f", output="out")),
        ("f -split-input-file -cse", Options("f", ("cse",), split_input_file="// -----")),
        ("--split-input-file=false f", Options("f")),
        ("--split-input-file=//== f", Options("f", split_input_file="//==")),
        ("-p cse,inline f", Options("f", ("cse,inline",))),
        ("--passes=cse -inline f", Options("f", ("cse", "inline"))),
        ("-pass-pipeline builtin.module(cse)", Options(pipeline=("builtin.module(cse)",))),
        ("-canonicalize={} f", Options("f", ("canonicalize{{}}",))),
        ("--verify-each=false", Options(verify_each=False)),
        ("--verify-each=0", Options(verify_each=False)),
        ("-verify-diagnostics", Options(verify_diagnostics="all")),
        ("-verify-diagnostics=only-expected", Options(verify_diagnostics="only-expected")),
        ("--mlir-print-ir-after=cse,inline", Options(after=("cse", "inline"))),
        ("-mlir-print-ir-before cse -print-ir-before=cse", Options(before=("cse", "cse"))),
        ("-mlir-print-debuginfo", Options(locations=True)),
        ("--mlir-disable-threading --", Options(disable_threading=True)),
        ("-- -cse", Options("-cse")),
        ("-h", Options(help=True)),
    ],
)
def test_spellings(given, read):
    assert read_arguments(given.split()) == read


def test_options_of_a_pass():
    flag = "--convert-triton-to-tritongpu=target=hip:gfx942 num-warps=4"
    assert read_arguments([flag]).pipeline == (
        "convert-triton-to-tritongpu{target=hip:gfx942 num-warps=4}",
    )


def test_every_flag_sets_one_field_and_has_help():
    fields = [flag.field for flag in FLAGS]
    assert len(set(fields)) == len(fields)
    assert set(fields) | {"file"} == set(Options.__slots__)
    assert sum(len(flag.spellings) for flag in FLAGS) == len(SPELLINGS)
    for flag in FLAGS:
        assert flag.help.endswith((".", ")"))
        assert bool(flag.metavar) == (flag.kind is not Kind.SWITCH)


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (
            "-cannonicalize",
            [
                "error: unknown flag or pass -cannonicalize",
                "hint: did you mean canonicalize or gluon-canonicalize?",
            ],
        ),
        (
            "--split-input-fil=x",
            ["error: unknown flag or pass --split-input-fil", "did you mean split-input-file?"],
        ),
        (
            "-verify-each=maybe",
            [
                "error: invalid value of -verify-each",
                "accepted: -verify-each=true, -verify-each=false",
            ],
        ),
        (
            "-verify-diagnostics=some",
            [
                "accepted: -verify-diagnostics=all, -verify-diagnostics=only-expected",
                "found: -verify-diagnostics=some",
            ],
        ),
        ("-mlir-print-ir-after=cs", ["error: unknown pass cs", "hint: did you mean cse?"]),
        ("f g", ["error: weft opt takes one file", "found: f g"]),
        ("-o", ["error: -o needs a value", "accepted: -o=FILE"]),
        ("--mlir-print-ir-after", ["needs names of passes, separated by commas"]),
    ],
)
def test_mistakes(given, lines):
    with pytest.raises(WeftError) as caught:
        read_arguments(given.split())
    for line in lines:
        assert line in str(caught.value)
