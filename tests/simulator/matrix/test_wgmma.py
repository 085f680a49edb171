"""wgmma: shared memory and registers are in use until a wait covers the group."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

BARRIER = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
COMMIT = '  call void asm sideeffect "wgmma.commit_group.sync.aligned;", ""() convergent\n'
KIND = "{ float, float, float, float }"
BYTES = 1024  # of a tile of 64 rows and 16 f16 without swizzle, and one of 8 rows after it


def wgmma(number: int, at: int) -> str:
    """Multiply tiles of zeros whose descriptors start at a byte; the strides are 128 bytes."""
    d = at >> 4 | 8 << 16 | 8 << 32
    zeros = ", ".join(["float 0.0"] * 4)
    text = (
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;"
    )
    return (
        f'  %p{number} = call {KIND} asm sideeffect "{text}", "=f,=f,=f,=f,l,l,0,1,2,3"'
        f"(i64 {d}, i64 {d}, {zeros}) convergent\n"
    )


def wait(pending: int) -> str:
    text = f"wgmma.wait_group.sync.aligned {pending};"
    return f'  call void asm sideeffect "{text}", "~{{memory}}"() convergent\n'


def write(number: int, at: int) -> str:
    return (
        f"  %n{number} = add i32 %i, {at // 4}\n"
        f"  %a{number} = getelementptr i32, ptr addrspace(3) @shared, i32 %n{number}\n"
        f"  store i32 0, ptr addrspace(3) %a{number}, align 4\n"
    )


def run_steps(*steps: str) -> None:
    body = "".join(steps) + "  ret void"
    run_text(body, [np.zeros(1, np.int32)], threads=128, shared_bytes=8 * BYTES)


FIRST, SECOND = wgmma(0, 0) + COMMIT, wgmma(1, 4 * BYTES) + COMMIT


@pytest.mark.parametrize(
    "steps",
    [
        (FIRST, wait(0), BARRIER, write(0, 0)),
        (FIRST, SECOND, wait(1), BARRIER, write(0, 0), wait(0)),
        (FIRST, SECOND, wait(1), BARRIER, write(0, 0), wait(0), BARRIER, write(1, 4 * BYTES)),
    ],
)
def test_writes_after_the_wait(steps):
    run_steps(*steps)


@pytest.mark.parametrize(
    "steps",
    [
        (FIRST, BARRIER, write(0, 0), wait(0)),
        (FIRST, SECOND, wait(1), BARRIER, write(1, 4 * BYTES), wait(0)),
        (wgmma(0, 0), wait(0), BARRIER, write(0, 0), COMMIT, wait(0)),
    ],
)
def test_writes_before_the_wait(steps):
    with pytest.raises(
        CodegenError, match="a thread writes shared memory that an unfinished wgmma reads"
    ):
        run_steps(*steps)


@pytest.mark.parametrize("steps", [(FIRST,), (wgmma(0, 0), wait(0)), (FIRST, SECOND, wait(1))])
def test_a_missing_wait(steps):
    with pytest.raises(CodegenError, match="a block exits with wgmma instructions outstanding"):
        run_steps(*steps)


EXTRACT = f"  %m = extractvalue {KIND} %p0, 0\n"


def wait_for(pending: int, value: str, name: str) -> str:
    text = f"wgmma.wait_group.sync.aligned {pending};"
    return f'  %{name} = call float asm sideeffect "{text}", "=f,0"(float {value}) convergent\n'


def read(value: str) -> str:
    return f"  %r{value[1:]} = fadd float {value}, 1.0\n"


@pytest.mark.parametrize(
    "steps",
    [
        (FIRST, EXTRACT, wait_for(0, "%m", "w"), read("%w")),
        (FIRST, SECOND, EXTRACT, wait_for(1, "%m", "w"), read("%w"), wait(0)),
        (FIRST, EXTRACT, "  %b = bitcast float %m to i32\n", wait(0)),
    ],
)
def test_results_are_read_after_the_wait(steps):
    run_steps(*steps)


@pytest.mark.parametrize(
    ("steps", "excerpt"),
    [
        ((FIRST, EXTRACT, read("%m"), wait(0)), "%rm = fadd float %m"),
        ((FIRST, EXTRACT, wait(0), read("%m")), "%rm = fadd"),
        ((FIRST, SECOND, EXTRACT, wait_for(2, "%m", "w"), read("%w"), wait(0)), "%rw = fadd"),
        (
            (FIRST, EXTRACT, "  %b = bitcast float %m to i32\n", "  %c = add i32 %b, 1\n", wait(0)),
            "%c = add i32 %b",
        ),
    ],
)
def test_results_that_are_read_before_the_wait(steps, excerpt):
    with pytest.raises(CodegenError, match=r"are read before wgmma\.wait_group") as caught:
        run_steps(*steps)
    assert f"found: {excerpt}" in str(caught.value)
    assert "wgmma.mma_async" in str(caught.value).partition(", after ")[2]


def test_a_diverged_warp_group():
    body = f"""
  %low = icmp ult i32 %i, 32
  br i1 %low, label %then, label %done
then:
{COMMIT}  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match="wgmma in a warp group that has diverged"):
        run_text(body, [], threads=128)
