"""`weft run --simulate TARGET --counters`: the table, and JSON."""

from __future__ import annotations

import json

PROGRAM = """\
import numpy as np
import weft
import weft.language as tl


@weft.jit
def shift(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)


x, y = np.zeros(256, np.float32), np.zeros(256, np.float32)
for _ in range(2):
    shift[(2,)](x, y, BLOCK=128)
print("end")
"""


def test_the_table_adds_up_the_launches_of_a_kernel(weft_command, kernel_file):
    path = kernel_file(PROGRAM)
    result = weft_command("run", "--simulate", "cuda:90", "--counters", path)
    assert (result.exit_code, result.stdout) == (0, "end\n")
    lines = result.stderr.splitlines()
    assert lines[0] == "shift: 2 launches, 4 programs"
    assert lines[1].split() == ["requests", "wavefronts", "conflicts", "sectors", "ideal"]
    assert lines[2].endswith("  tl.store(y + i, tl.load(x + i) + 1)")
    # Four warps load and store four sectors each, in four programs.
    assert lines[3].split() == ["global", "load,", "32", "bits", "16", "64", "64"]
    assert lines[4].split() == ["global", "store,", "32", "bits", "16", "64", "64"]
    assert lines[-1].startswith("note: simulated 2 launches of 4 programs")


def test_json_has_an_entry_per_launch(weft_command, kernel_file, tmp_path):
    path, out = kernel_file(PROGRAM), tmp_path / "counters.json"
    options = ("--simulate", "hip:gfx942", "--counters", "--json", "-o", str(out))
    assert weft_command("run", *options, path).exit_code == 0
    document = json.loads(out.read_text())
    assert document["target"] == "hip:gfx942"
    assert [each["kernel"] for each in document["launches"]] == ["shift", "shift"]
    load = document["launches"][0]["counters"][0]
    # Four warps of 64 lanes hold each element twice, and all of them load.
    assert load["line"] > 0
    assert [load[key] for key in ("kind", "bits", "text", "requests", "sectors")] == [
        "global load",
        32,
        1,
        8,
        64,
    ]


def test_counters_need_a_simulated_run(weft_command, kernel_file):
    path = kernel_file(PROGRAM)
    result = weft_command("run", "--counters", path)
    assert result.exit_code == 1
    assert "error: --counters is an option of a simulated run" in result.stderr
    result = weft_command("run", "--simulate", "cuda:90", "--json", path)
    assert result.exit_code == 1
    assert "--json and --output are options of a report" in result.stderr
