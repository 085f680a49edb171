"""Text that Triton's parser accepts and does not print: the FileCheck lines of a file."""

from __future__ import annotations

import io
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

FILE = Path(__file__).parent / "accepted_spellings.mlir"


def test_accepted_spellings(weft_command, capsys):
    flags = ("-split-input-file", "-allow-unregistered-dialect")
    printed = weft_command("opt", str(FILE), *flags).stdout
    options = Options(match_filename=str(FILE))
    patterns = Parser(options, io.StringIO(FILE.read_text()), *pattern_for_opts(options))
    exit_code = Matcher(options, FInput("printed", printed), patterns).run()
    assert not exit_code, capsys.readouterr().err + printed


def test_operations_of_registered_dialects_must_be_known(weft_command):
    for name in ("arith.unknown", "tt.unknown", ""):
        text = f'tt.func @f() {{ "{name}"() : () -> () tt.return }}'
        result = weft_command("opt", "-allow-unregistered-dialect", stdin=text)
        assert result.exit_code == 1
        assert f"op '{name}' is unknown" in result.stderr
