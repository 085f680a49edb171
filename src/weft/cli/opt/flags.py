"""The flags of `weft opt`, and the options that they set.

A flag may have one dash or two, and its value follows `=` or a blank. If MLIR has the flag, the
first spelling is MLIR's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["FLAGS", "SPELLINGS", "Flag", "Kind", "Options"]


class Kind(Enum):
    """The kind of value that a flag takes."""

    SWITCH = "nothing, true or false"
    TEXT = "a value"
    NAMES = "names of passes, separated by commas"
    CHOICE = "one of its choices, or nothing for the first one"
    MARKER = "nothing, true, false or the text of a marker"


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag.

    Attributes:
        field: The field of `Options` that it sets.
        spellings: Its names.
        kind: The kind of value.
        help: Its help text.
        group: Its group in the help.
        metavar: The value in the help.
        choices: The accepted values.
    """

    field: str
    spellings: tuple[str, ...]
    kind: Kind
    help: str
    group: str
    metavar: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a command line; all but the first two are described by their flags.

    Attributes:
        file: The input; "-" for stdin.
        pipeline: Pipelines in text, in order.
    """

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
    run_reproducer: bool = False
    crash_reproducer: str = ""
    local_reproducer: bool = False
    locations: bool = False
    names: bool = False
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

_INPUT, _PASSES, _OUTPUT, _DUMPS, _LISTS = (
    "Input and checks",
    "Passes",
    "Output",
    "IR between passes",
    "Lists",
)

FLAGS: tuple[Flag, ...] = (
    Flag("split_input_file", ("split-input-file",), Kind.MARKER,
         f"Process the parts between lines {MARKER} separately.", _INPUT, "[=MARKER]"),
    Flag("verify_each", ("verify-each",), _SWITCH,
         "Verify the IR after every pass (default; =false: only the input).", _INPUT),
    Flag("verify_diagnostics", ("verify-diagnostics",), _CHOICE,
         "Compare errors with expected-error {{…}} comments.", _INPUT, "[=all|only-expected]",
         ("all", "only-expected")),
    Flag("verify_roundtrip", ("verify-roundtrip",), _SWITCH,
         "Check that the output parses back to the same text.", _INPUT),
    Flag("allow_unregistered_dialect", ("allow-unregistered-dialect",), _SWITCH,
         "Accept operations of unknown dialects in generic form.", _INPUT),
    Flag("pipeline", ("pass-pipeline", "passes", "p"), _TEXT,
         "Pipeline: 'builtin.module(cse,tt.func(canonicalize))', or without anchors.",
         _PASSES, "TEXT"),
    Flag("stage", ("stage",), _TEXT,
         "Run the passes of a stage: ttir, convert, layout, loops, final; gluon.",
         _PASSES, "STAGE"),
    Flag("target", ("target",), _TEXT, "Target of the stage.", _PASSES, "hip:gfx942"),
    Flag("num_warps", ("num-warps",), _TEXT, "Warps per block (default 4).", _PASSES, "N"),
    Flag("num_ctas", ("num-ctas",), _TEXT, "Blocks per cluster (default 1).", _PASSES, "N"),
    Flag("launch", ("option",), _TEXT,
         "Other compile options of the stage: kpack=2,matrix_instr_nonkdim=16.", _PASSES,
         "NAME=N,…"),
    Flag("dump_pass_pipeline", ("dump-pass-pipeline",), _SWITCH,
         "Print the pipeline on stderr before it runs.", _PASSES),
    Flag("run_reproducer", ("run-reproducer",), _SWITCH,
         "Run the pipeline that a reproducer has, in place of that of the command line.", _PASSES),
    Flag("crash_reproducer", ("mlir-pass-pipeline-crash-reproducer",), _TEXT,
         "Write the module and the pipeline to a file if a pass fails.", _PASSES, "FILE"),
    Flag("local_reproducer", ("mlir-pass-pipeline-local-reproducer",), _SWITCH,
         "Write the module before the pass that failed, and that pass alone.", _PASSES),
    Flag("disable_threading", ("mlir-disable-threading",), _SWITCH,
         "Accepted for compatibility: weft runs in one thread.", _PASSES),
    Flag("output", ("o", "output"), _TEXT, "Output file; - for stdout.",
         _OUTPUT, "FILE"),
    Flag("output_split_marker", ("output-split-marker",), _TEXT,
         f"Separator of the parts in the output (default {MARKER}).", _OUTPUT, "TEXT"),
    Flag("locations", ("mlir-print-debuginfo", "locations"), _SWITCH,
         "Print source locations.", _OUTPUT),
    Flag("names", ("mlir-use-nameloc-as-prefix",), _SWITCH,
         "Name values after the variables in their locations (default: numbers).", _OUTPUT),
    Flag("generic", ("mlir-print-op-generic",), _SWITCH,
         "Print operations in generic form.", _OUTPUT),
    Flag("local_scope", ("mlir-print-local-scope",), _SWITCH,
         "Print attributes and locations inline, without aliases.", _OUTPUT),
    Flag("before_all", ("mlir-print-ir-before-all", "print-ir-before-all"), _SWITCH,
         "Print the IR before every pass, on stderr.", _DUMPS),
    Flag("after_all", ("mlir-print-ir-after-all", "print-ir-after-all"), _SWITCH,
         "Print the IR after every pass, on stderr.", _DUMPS),
    Flag("before", ("mlir-print-ir-before", "print-ir-before"), _NAMES,
         "Print the IR before these passes.", _DUMPS, "PASS,…"),
    Flag("after", ("mlir-print-ir-after", "print-ir-after"), _NAMES,
         "Print the IR after these passes.", _DUMPS, "PASS,…"),
    Flag("after_change", ("mlir-print-ir-after-change", "print-ir-after-change"), _SWITCH,
         "Print the IR only after passes that changed it.", _DUMPS),
    Flag("after_failure", ("mlir-print-ir-after-failure", "print-ir-after-failure"), _SWITCH,
         "Print the IR after a pass that failed.", _DUMPS),
    Flag("module_scope", ("mlir-print-ir-module-scope",), _SWITCH,
         "Name the operation in the headings; dumps are always whole modules.", _DUMPS),
    Flag("diff", ("print-ir-diff",), _SWITCH,
         "Print the changes of each pass as a unified diff, on stderr.", _DUMPS),
    Flag("timing", ("mlir-timing", "timing"), _SWITCH,
         "Print the time of every pass, on stderr.", _DUMPS),
    Flag("timing_display", ("mlir-timing-display",), _CHOICE,
         "In execution order, or slowest first.", _DUMPS, "=tree|list", ("tree", "list")),
    Flag("list_passes", ("list-passes",), _SWITCH, "Print the passes and their options.", _LISTS),
    Flag("show_dialects", ("show-dialects",), _SWITCH, "Print the dialects.", _LISTS),
    Flag("help", ("help", "h"), _SWITCH, "Print this help.", _LISTS),
)  # fmt: skip

SPELLINGS: dict[str, Flag] = {name: flag for flag in FLAGS for name in flag.spellings}
