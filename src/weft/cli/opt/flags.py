"""Every flag of `weft opt`, a row each, and the options that they fill.

A flag may be written with one dash or two, and its value after `=` or after a blank. Where
MLIR has the flag, the first spelling is MLIR's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["FLAGS", "SPELLINGS", "Flag", "Kind", "Options"]


class Kind(Enum):
    """What a flag takes."""

    SWITCH = "nothing, true or false"
    TEXT = "a value"
    NAMES = "names of passes, separated by commas"
    CHOICE = "one of its choices, or nothing for the first one"
    MARKER = "nothing, true, false or the text of a marker"


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: the field of `Options` that it sets, its spellings, and what it does."""

    field: str
    spellings: tuple[str, ...]
    kind: Kind
    help: str
    group: str
    metavar: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """What a command line asks for. Each field but the first two is described by its flag."""

    file: str = "-"
    pipeline: tuple[str, ...] = ()
    stage: str = ""
    target: str = ""
    num_warps: str = ""
    num_ctas: str = ""
    launch: str = ""
    output: str = "-"
    split_input_file: str = ""
    output_split_marker: str = "// -----"
    verify_each: bool = True
    verify_diagnostics: str = ""
    verify_roundtrip: bool = False
    allow_unregistered_dialect: bool = False
    disable_threading: bool = False
    dump_pass_pipeline: bool = False
    locations: bool = False
    generic: bool = False
    local_scope: bool = False
    before_all: bool = False
    after_all: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    after_change: bool = False
    after_failure: bool = False
    module_scope: bool = False
    diff: bool = False
    timing: bool = False
    timing_display: str = "tree"
    list_passes: bool = False
    show_dialects: bool = False
    help: bool = False


MARKER = "// -----"
_SWITCH, _TEXT, _NAMES, _CHOICE = Kind.SWITCH, Kind.TEXT, Kind.NAMES, Kind.CHOICE

_INPUT, _PASSES, _OUTPUT, _WATCH, _LISTS = (
    "Input and checks",
    "Passes",
    "Output",
    "Watching passes",
    "Lists",
)

FLAGS: tuple[Flag, ...] = (
    Flag("split_input_file", ("split-input-file",), Kind.MARKER,
         f"Run each part between lines {MARKER} alone.", _INPUT, "[=MARKER]"),
    Flag("verify_each", ("verify-each",), _SWITCH,
         "Check the IR after every pass (on; =false: only what was read).", _INPUT),
    Flag("verify_diagnostics", ("verify-diagnostics",), _CHOICE,
         "Compare errors with the comments expected-error {{…}}.", _INPUT, "[=all|only-expected]",
         ("all", "only-expected")),
    Flag("verify_roundtrip", ("verify-roundtrip",), _SWITCH,
         "Check that what is printed reads back to the same text.", _INPUT),
    Flag("allow_unregistered_dialect", ("allow-unregistered-dialect",), _SWITCH,
         "Read operations of unknown dialects in generic form; passes keep them.", _INPUT),
    Flag("pipeline", ("pass-pipeline", "passes", "p"), _TEXT,
         "Passes as text: 'builtin.module(cse,tt.func(canonicalize))', or without the anchors.",
         _PASSES, "TEXT"),
    Flag("stage", ("stage",), _TEXT,
         "The passes that take the input through a stage: ttir, convert, layout, loops, final.",
         _PASSES, "STAGE"),
    Flag("target", ("target",), _TEXT, "The chip that a stage is for.", _PASSES, "hip:gfx942"),
    Flag("num_warps", ("num-warps",), _TEXT, "Warps per block, for a stage (4).", _PASSES, "N"),
    Flag("num_ctas", ("num-ctas",), _TEXT, "Blocks per cluster, for a stage (1).", _PASSES, "N"),
    Flag("launch", ("option",), _TEXT,
         "Other launch options, for a stage: kpack=2,matrix_instr_nonkdim=16.", _PASSES,
         "NAME=N,…"),
    Flag("dump_pass_pipeline", ("dump-pass-pipeline",), _SWITCH,
         "Print the passes with their options on stderr before they run.", _PASSES),
    Flag("disable_threading", ("mlir-disable-threading",), _SWITCH,
         "For triton-opt's command lines: weft runs in one thread.", _PASSES),
    Flag("output", ("o", "output"), _TEXT, "Where to write; - is the terminal or pipe.",
         _OUTPUT, "FILE"),
    Flag("output_split_marker", ("output-split-marker",), _TEXT,
         f"What to print between the parts of a split input ({MARKER}).", _OUTPUT, "TEXT"),
    Flag("locations", ("mlir-print-debuginfo", "locations"), _SWITCH,
         "Print source locations.", _OUTPUT),
    Flag("generic", ("mlir-print-op-generic",), _SWITCH,
         "Print operations in MLIR's generic form.", _OUTPUT),
    Flag("local_scope", ("mlir-print-local-scope",), _SWITCH,
         "Write attributes and locations where they stand, without aliases.", _OUTPUT),
    Flag("before_all", ("mlir-print-ir-before-all", "print-ir-before-all"), _SWITCH,
         "Print the IR before every pass, on stderr.", _WATCH),
    Flag("after_all", ("mlir-print-ir-after-all", "print-ir-after-all"), _SWITCH,
         "Print the IR after every pass, on stderr.", _WATCH),
    Flag("before", ("mlir-print-ir-before", "print-ir-before"), _NAMES,
         "Print the IR before these passes.", _WATCH, "PASS,…"),
    Flag("after", ("mlir-print-ir-after", "print-ir-after"), _NAMES,
         "Print the IR after these passes.", _WATCH, "PASS,…"),
    Flag("after_change", ("mlir-print-ir-after-change", "print-ir-after-change"), _SWITCH,
         "Print the IR only after passes that changed it; alone, after every such pass.", _WATCH),
    Flag("after_failure", ("mlir-print-ir-after-failure", "print-ir-after-failure"), _SWITCH,
         "Print the IR that a pass left when it failed.", _WATCH),
    Flag("module_scope", ("mlir-print-ir-module-scope",), _SWITCH,
         "Name the operation in the heads of the dumps, which are always whole modules.", _WATCH),
    Flag("diff", ("print-ir-diff",), _SWITCH,
         "Print what each pass changed as a unified diff, on stderr.", _WATCH),
    Flag("timing", ("mlir-timing", "timing"), _SWITCH,
         "Print the time of every pass, on stderr.", _WATCH),
    Flag("timing_display", ("mlir-timing-display",), _CHOICE,
         "In the order of the run, or the slowest first.", _WATCH, "=tree|list", ("tree", "list")),
    Flag("list_passes", ("list-passes",), _SWITCH, "Print the passes and their options.", _LISTS),
    Flag("show_dialects", ("show-dialects",), _SWITCH, "Print the dialects.", _LISTS),
    Flag("help", ("help", "h"), _SWITCH, "Print this.", _LISTS),
)  # fmt: skip

SPELLINGS: dict[str, Flag] = {name: flag for flag in FLAGS for name in flag.spellings}
