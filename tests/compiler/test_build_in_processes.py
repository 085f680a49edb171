"""Several processes at once: they compile the same kernel, fork, and are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from weft.compiler.cache import DiskCache

KERNEL = """
import os, sys, time
import pytest
import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft.compiler import build

@weft.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

gpu = FakeCuda(pytest.MonkeyPatch())
made, compile_ = [], build._compile
build._compile = lambda *given: made.append(1) or compile_(*given)

def launch(**options):
    program = scale[(1,)](Tensor(), 100, BLOCK=128, **options)
    assert ".entry scale(" in program.asm["ptx"]
"""


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a program in a subprocess; all share a cache directory."""
    (tmp_path / "cache").mkdir()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "WEFT_CACHE_DIR": str(tmp_path / "cache"),
    }
    started: list[subprocess.Popen[str]] = []

    def started_with(program: str) -> subprocess.Popen[str]:
        file = tmp_path / "program.py"
        file.write_text(KERNEL + program)
        process = subprocess.Popen(
            [sys.executable, str(file)], env=environment, text=True, stdout=subprocess.PIPE
        )
        started.append(process)
        return process

    yield started_with
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_processes_that_compile_one_kernel_at_once_all_launch_it(start, tmp_path):
    program = "launch(); print(len(made))"
    running = [start(program) for _ in range(3)]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert "1\n" in said
    assert len(DiskCache(tmp_path / "cache").files()) == 1
    later = start(program)
    assert later.communicate(timeout=60)[0] == "0\n", "it is there already"


def test_a_killed_compile_leaves_no_files(start, tmp_path):
    program = (
        "build.lower_ttgir = lambda *given: print('now', flush=True) or time.sleep(60)\nlaunch()"
    )
    process = start(program)
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not DiskCache(tmp_path / "cache").files()
    assert start("launch(); print(len(made))").communicate(timeout=60)[0] == "1\n"


def test_a_forked_process_starts_a_separate_llvm(start):
    program = """
from weft.compiler.machine_code import llvm_machine
launch()
ours = llvm_machine().process.pid
child = os.fork()
if not child:
    launch(num_warps=8)
    assert llvm_machine().process.pid != ours
    sys.exit(0)
_, status = os.waitpid(child, 0)
launch(num_warps=2)
print(status, llvm_machine().process.pid == ours)
"""
    process = start(program)
    assert process.communicate(timeout=60)[0] == "0 True\n"
    assert process.returncode == 0


def test_the_process_of_llvm_ends_with_ours(start):
    process = start(
        "from weft.compiler.machine_code import llvm_machine\n"
        "launch()\n"
        "print(llvm_machine().process.pid)"
    )
    pid = int(process.communicate(timeout=60)[0])
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
