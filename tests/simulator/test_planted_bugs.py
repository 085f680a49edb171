"""Bugs planted in the synchronization of loops: the simulator reports each, with source lines."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.simulator.loop_features import FEATURES, arguments_for, compile_feature
from weft.codegen import LlvmModule, lower
from weft.compiler.machine_code import lower_ttgir
from weft.ir.text import parse_module, print_module
from weft.simulator import DeadlockError, RaceError, SimulatorError, run, run_module
from weft.targets.wait_counters import wait_instruction

STEPS = 6

# Source lines of the kernels, by their beginnings.
LOAD_A, LOAD_B, DOT = "a = tl.load(", "b = tl.load(", "acc = tl.dot(a, b, acc)"
TILES = "acc = tl.dot(a.load([0, start]), b.load([0, start]).T, acc)"
STORE = "tl.store(c_ptr"
# Hopper's warp specialization locates copies and their barriers at the function, as Triton's does.
FUNCTION = "def product_of_tiles("


def run_text(llvm: LlvmModule, text: str, name: str) -> None:
    """Run a text in place of a module's own."""
    run(
        text,
        grid=(1,),
        arguments=arguments_for(FEATURES[name], STEPS)[0],
        warp_size=llvm.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )


def run_changed_llvm(name: str, chip: str, change: Callable[[str], str]) -> None:
    """Run the kernel of a feature with changed LLVM IR."""
    compiled = compile_feature(FEATURES[name], chip)
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    text = llvm.text_with_locations()
    changed = change(text)
    assert changed != text
    run_text(llvm, changed, name)


def run_changed_ttgir(name: str, chip: str, change: Callable[[str], str]) -> None:
    """Run the kernel of a feature with changed TTGIR."""
    compiled = compile_feature(FEATURES[name], chip)
    text = print_module(compiled.module("ttgir"), locations=True)
    changed = change(text)
    assert changed != text
    llvm = lower_ttgir(parse_module(changed), compiled.metadata.options)
    run_text(llvm, llvm.text_with_locations(), name)


def source_lines(error: SimulatorError) -> list[str]:
    """Find the source lines of a race's accesses, the later first, or of a deadlock's waits."""
    if isinstance(error, RaceError):
        instructions = (error.second, error.first)
    else:
        assert isinstance(error, DeadlockError)
        instructions = tuple(wait.instruction for wait in error.waits)
    locations = [each.location for each in instructions if each is not None]
    return [linecache.getline(each.file, each.line).strip() for each in locations if each]


def replace_by(pattern: str, by: str) -> Callable[[str], str]:
    """Create a change that replaces each match of a pattern."""
    return lambda text: re.sub(pattern, by, text, flags=re.MULTILINE)


def drop(pattern: str) -> Callable[[str], str]:
    """Create a change that removes the lines with a pattern."""
    return lambda text: "\n".join(line for line in text.split("\n") if not re.search(pattern, line))


def drop_after(pattern: str, start: str) -> Callable[[str], str]:
    """Create a change that removes the first line with a pattern after a line with another."""

    def change(text: str) -> str:
        lines = text.split("\n")
        first = next(n for n, line in enumerate(lines) if re.search(start, line))
        del lines[next(n for n in range(first, len(lines)) if re.search(pattern, lines[n]))]
        return "\n".join(lines)

    return change


def move_down(pattern: str, over: str) -> Callable[[str], str]:
    """Create a change that moves each line after the last of the lines that follow it.

    The lines with the other pattern, and with `memdesc_index`, follow the line.
    """

    def change(text: str) -> str:
        lines = text.split("\n")
        for n in range(len(lines) - 1, -1, -1):
            if not re.search(pattern, lines[n]):
                continue
            last = n
            while re.search(f"{over}|memdesc_index", lines[last + 1]):
                last += 1
            lines.insert(last, lines.pop(n))
        return "\n".join(lines)

    return change


def flip_phases(after: str) -> Callable[[str], str]:
    """Create a change of LLVM IR: the first mbarrier wait after a label is for the other phase."""

    def change(text: str) -> str:
        lines = text.split("\n")
        first = next(n for n, line in enumerate(lines) if line.startswith(after))
        wait = re.compile(r"mbarrier\.try_wait.* i32 (%[\w.]+)[,)]")
        n = next(n for n in range(first, len(lines)) if wait.search(lines[n]))
        (phase,) = wait.findall(lines[n])
        lines[n] = re.sub(f"i32 {phase}\\b", "i32 %other", lines[n])
        lines.insert(n, f"  %other = xor i32 {phase}, 1")
        return "\n".join(lines)

    return change


def changed_wait(chip: str, kind: str, outstanding: int, change: int) -> Callable[[str], str]:
    """Create a change of the number of outstanding operations that AMD's waits allow."""
    old, new = (wait_instruction(chip, kind, n) for n in (outstanding, outstanding + change))
    return lambda text: re.sub(rf"({re.escape(old[0])}\(i\d+ ){old[1]}\)", rf"\g<1>{new[1]})", text)


WS, UNFINISHED = "warp specialization", "an unfinished asynchronous copy writes"
NEITHER = "neither waits for the other|with no barrier between"
ANY = f"{NEITHER}|{UNFINISHED}"
IN_LLVM = [
    # feature, chip, change, message, beginnings of the source lines
    ("cp.async", "80", drop("cp.async.wait_group"), UNFINISHED, [LOAD_A, LOAD_A]),
    ("cp.async", "120", drop(r"barrier\.cta\.sync"), "no barrier between", [LOAD_A, LOAD_A]),
    ("cp.async and tcgen05", "100", drop("tcgen05.commit"), "deadlock", [DOT]),
    ("cp.async and tcgen05", "100", drop(r"fence\.proxy\.async"), "no proxy fence", [DOT, LOAD_A]),
    ("TMA", "120", flip_phases("body"), UNFINISHED, [TILES, TILES]),
    ("TMA", "120", drop(r"barrier\.cta\.sync"), NEITHER, None),
    ("TMA and tcgen05", "100", flip_phases("body"), "deadlock|unfinished", None),
    (WS, "90", drop(r"count\(i32 [23], i32 128\)"), NEITHER, [FUNCTION, FUNCTION]),
    (WS, "90", replace_by(r"(wgmma\.wait_group\S+) 0", r"\1 1"), "unfinished wgmma", None),
    (WS, "90", drop(r"mbarrier\.arrive\.shared"), "deadlock", [TILES]),
    (WS, "90", flip_phases("body.p1.0"), UNFINISHED, [TILES, FUNCTION]),
    (WS, "90", flip_phases("body.2"), "deadlock", [TILES]),
    (WS, "90", replace_by(r"expect_tx(\S+) _, \[\$1\], 8192", r"expect_tx\1 _, [$1], 16384"),
     "deadlock.*pending", [TILES]),
    (WS, "90", replace_by(r"expect_tx(\S+) _, \[\$1\], 8192", r"expect_tx\1 _, [$1], 4096"),
     "", None),
    (WS, "100", drop_after(r"mbarrier\.try_wait", r"^body\.p1\.1"), NEITHER, [TILES, TILES]),
    (WS, "100", drop_after(r"mbarrier\.try_wait", r"^body\.p1\.0"), ANY, [TILES, TILES]),
    (WS, "100", flip_phases("body.p1.0"), ANY, [TILES, TILES]),
    (WS, "100", flip_phases("body.p1.1"), "deadlock", [TILES]),
    (WS, "100", drop_after("tcgen05.commit", r"^body\.p1\.0"), "deadlock", [TILES]),
    (WS, "100", replace_by("24576", "49152"), "deadlock", [TILES]),
    (WS, "120", drop(r"count\(i32 0, i32 128\)"), NEITHER, None),
    (WS, "120", flip_phases("body.p1.0"), "deadlock|unfinished", None),
    ("LDS", "gfx90a", drop(r"s\.barrier\(\)"), "no barrier between", None),
    ("LDS", "gfx942", drop(r"s\.barrier\(\)"), "no barrier between", None),
    ("LDS", "gfx1100", drop(r"s\.barrier\(\)"), "no barrier between", None),
    ("LDS", "gfx1201", drop(r"s\.barrier\(\)"), "no barrier between", None),
    ("registers", "gfx950", drop(r"s\.barrier\(\)"), "no barrier between", None),
    ("direct to LDS", "gfx950", changed_wait("gfx950", "load", 3, 1), UNFINISHED, [LOAD_B, LOAD_B]),
    ("direct to LDS", "gfx942", drop("s.waitcnt"), "an unfinished|no barrier", None),
    ("direct to LDS", "gfx950", drop(r"s\.barrier\(\)"), "no barrier between", [LOAD_A, LOAD_A]),
    ("direct to LDS", "gfx1250", drop("s.wait.asynccnt"), UNFINISHED, [LOAD_A, LOAD_A]),
    ("TDM", "gfx1250", changed_wait("gfx1250", "tensor", 0, 1), UNFINISHED, [TILES, TILES]),
    ("ping-pong of two clusters", "gfx942", drop(r"s\.barrier\(\)"), "no barrier", None),
    ("ping-pong of copies to LDS", "gfx950", drop(r"s\.barrier\(\)"), "no barrier", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "chip", "change", "message", "lines"),
    IN_LLVM,
    ids=[f"{name} {chip} {n}" for n, (name, chip, *_) in enumerate(IN_LLVM)],
)
def test_bugs_in_llvm_ir(name, chip, change, message, lines):
    with pytest.raises(SimulatorError, match=re.compile(message, re.DOTALL)) as error:
        run_changed_llvm(name, chip, change)
    actual = source_lines(error.value)
    assert actual
    if lines is not None:
        assert len(actual) >= len(lines)
        assert all(a.startswith(b) for a, b in zip(actual, lines, strict=False)), actual


def test_a_buffer_is_released_before_the_dot_reads_it():
    """The consumers arrive at the mbarrier of the empty buffer, and read the buffer after that."""
    release = r"ttng.warp_group_dot .*isAsync|= ttng.warp_group_dot "
    with pytest.raises(RaceError, match=NEITHER) as error:
        run_changed_ttgir(WS, "90", move_down(release, "ttng.arrive_barrier"))
    assert source_lines(error.value) == [FUNCTION, TILES]


def test_a_buffer_is_released_before_threads_read_it():
    with pytest.raises(RaceError, match=NEITHER) as error:
        run_changed_ttgir(WS, "120", move_down(r"= ttg.local_load .*opIdx", r"ttng\.arrive|fence"))
    assert source_lines(error.value) == [TILES, TILES]


def test_an_mma_commits_before_it_reads():
    """The commit does not cover the last MMA, so that the loads overwrite what it reads."""

    def change(text: str) -> str:
        lines = text.split("\n")
        first = lines.index("body.p1.0.2:")
        last = max(n for n, line in enumerate(lines) if n > first and "tcgen05.mma" in line)
        commit = next(n for n in range(last, len(lines)) if "tcgen05.commit" in lines[n])
        lines.insert(commit, lines.pop(last))
        return "\n".join(lines)

    with pytest.raises(RaceError, match=r"copies to byte .* the tensor core reads") as error:
        run_changed_llvm(WS, "100", change)
    assert source_lines(error.value) == [TILES, TILES]


GFX1250 = (
    Path(__file__).parents[1] / "codegen" / "golden" / "gfx1250_specialised_sum.ttgir"
).read_text()


def run_gfx1250(text: str) -> None:
    """Run the sum of tiles that a partition loads by TDM."""
    x, y = np.ones((32, 64 * STEPS), np.float16), np.zeros((32, 64), np.float32)
    llvm = lower(parse_module(text))
    run_module(llvm, grid=(1,), arguments=[x, y, 32, 64 * STEPS, STEPS])
    np.testing.assert_array_equal(y, STEPS)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (move_down(r"%25 = ttg.local_load", "amdg.arrive_barrier"), RaceError, NEITHER),
        (drop("amdg.wait_barrier %12"), RaceError, "writes shared memory .* unfinished one writes"),
        (replace_by("barrier %12, %13", "barrier %12, %11"), DeadlockError, "128 arrivals"),
        (replace_by("barrier %23, %22", "barrier %23, %c1_i32"), DeadlockError, "arrivals"),
        (drop("amdg.wait_barrier %23"), DeadlockError, "arrivals"),
        (drop("%27 = amdg.arrive_barrier"), DeadlockError, "128 arrivals"),
    ],
)
def test_bugs_in_partitions_of_gfx1250(change, error, message):
    changed = change(GFX1250)
    assert changed != GFX1250
    with pytest.raises(error, match=message) as caught:
        run_gfx1250(changed)
    lines = changed.splitlines()
    assert caught.value.location is not None
    assert re.search("barrier|tdm|local_load", lines[caught.value.location.line - 1])


def test_partitions_of_gfx1250():
    run_gfx1250(GFX1250)


def test_a_deadlock_of_partitions_names_who_waits_for_whom():
    with pytest.raises(DeadlockError) as error:
        run_gfx1250(drop("%27 = amdg.arrive_barrier")(GFX1250))
    waits = {wait.warps: wait for wait in error.value.waits}
    assert waits[(0, 1, 2, 3)].pending_arrivals == 1
    assert waits[(6,)].pending_arrivals == 128
    assert waits[(6,)].barrier != waits[(0, 1, 2, 3)].barrier
