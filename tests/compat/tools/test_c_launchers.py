"""C code of kernels, compiled against a driver that only records what is launched."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest

from weft.compat.tools import link
from weft.compat.tools.c_launchers import CLauncher

COMPILER = shutil.which("gcc") or shutil.which("clang")
KERNEL = CLauncher(
    name="scale_0123abcd_0d2d4c",
    backend="cuda",
    symbol="scale",
    binary=b"first",
    arguments={"x": "CUdeviceptr", "n": "int32_t", "factor": "float"},
    unit_arguments=("stride",),
    order=("x", "BLOCK", "n", "factor", "stride"),
    constants={"BLOCK": 64, "num_warps": 4},
    algorithm="64_warps4xstages3",
    grid=("(n + 63) / 64", "1", "2"),
    threads=128,
    shared_bytes=0,
)
GENERAL = replace(
    KERNEL,
    name="scale_4567cdef_",
    binary=b"other",
    arguments={**KERNEL.arguments, "stride": "int32_t"},
    unit_arguments=(),
    shared_bytes=100_000,
)
DRIVER = """
#include <stddef.h>
typedef int CUresult; typedef void *CUstream, *CUmodule, *CUfunction;
typedef unsigned long long CUdeviceptr;
enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleUnload(CUmodule);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuGetErrorString(CUresult, const char **);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void **, void **);
"""
RECORDER = r"""
#include <stdio.h>
#include "cuda.h"
CUresult cuModuleLoadData(CUmodule *m, const void *image) { *m = (void *)image; return 0; }
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  printf("get %s of %.5s\n", name, (char *)m); *f = m; return 0;
}
CUresult cuModuleUnload(CUmodule m) { printf("unload %.5s\n", (char *)m); return 0; }
CUresult cuFuncSetAttribute(CUfunction f, int a, int v) { printf("shared %d\n", v); return 0; }
CUresult cuGetErrorString(CUresult r, const char **text) { return 0; }
CUresult cuLaunchKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads,
                        unsigned ty, unsigned tz, unsigned shared, CUstream s, void **a, void **e) {
  printf("%.5s grid %u %u %u threads %u n %d factor %g\n", (char *)f, x, y, z, threads,
         *(int *)a[1], *(float *)a[2]);
  return 0;
}
"""
MAIN = r"""
#include <stdio.h>
#include "scale.h"
int main(void) {
  printf("algorithms %d\n", scale_get_num_algos());
  scale_default(0, 256, 128, 2.5f, 1);
  scale_default(0, 256, 128, 2.5f, 3);
  scale_default(0, 256, 0, 2.5f, 3);
  printf("no such algorithm: %d\n", scale(0, 256, 128, 2.5f, 1, 7));
  unload_scale();
  return 0;
}
"""


def write(folder, *launchers):
    for launcher in launchers:
        (folder / f"{launcher.name}.h").write_text(launcher.header())
        (folder / f"{launcher.name}.c").write_text(launcher.source())
    headers = [str(folder / f"{launcher.name}.h") for launcher in launchers]
    link.main([*headers, "-o", str(folder / "scale")])


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_the_most_specialized_kernel_is_launched(tmp_path):
    write(tmp_path, GENERAL, KERNEL)
    (tmp_path / "cuda.h").write_text("#pragma once\n" + DRIVER)
    (tmp_path / "driver.c").write_text(RECORDER)
    (tmp_path / "main.c").write_text(MAIN)
    sources = sorted(map(str, tmp_path.glob("*.c")))
    program = str(tmp_path / "program")
    command = [str(COMPILER), "-Wall", "-Werror", *sources, f"-I{tmp_path}", "-o", program]
    subprocess.run(command, check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert lines.splitlines() == [
        "algorithms 1",
        "get scale of first",
        "first grid 2 1 2 threads 128 n 128 factor 2.5",
        "get scale of other",
        "shared 100000",
        "other grid 2 1 2 threads 128 n 128 factor 2.5",
        "no such algorithm: 1",
        "unload first",
        "unload other",
    ]


def test_the_header_of_an_amd_kernel():
    hip = replace(KERNEL, backend="hip", arguments={"x": CLauncher.pointer_type("hip")})
    assert "hipError_t scale_0123abcd_0d2d4c(hipStream_t stream, hipDeviceptr_t x);" in hip.header()
    assert "tt-linker-backend: hip" in hip.header()
    assert "hipModuleLaunchKernel" in hip.source()


def test_conditions_follow_the_positions_of_arguments():
    parser = link.HeaderParser()
    parser.extract_linker_meta(KERNEL.header())
    ((kernel,),) = parser.kernels.values()
    assert kernel.arg_names == ["x", "n", "factor", "stride"]
    assert kernel.sizes == [16, 16, None, 1]
    assert (kernel.num_specs, kernel.function) == (3, KERNEL.name)
    assert link.gen_signature(kernel) == "CUdeviceptr x, int32_t n, float factor"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"backend": "hip"}, "differing backend cuda vs. hip"),
        ({"arguments": {**KERNEL.arguments, "x": "int64_t"}}, "Mismatched signature"),
        ({"name": "scale_0123abcd_9d"}, "invalid extra suffix"),
        ({"name": "scale"}, "not a valid kernel name"),
    ],
)
def test_headers_that_do_not_fit(other, message):
    parser = link.HeaderParser()
    parser.extract_linker_meta(KERNEL.header())
    with pytest.raises(link.LinkerError, match=message):
        parser.extract_linker_meta(replace(KERNEL, **other).header())


def test_positions_are_those_of_the_arguments():
    header = KERNEL.header()
    directive = next(line for line in header.splitlines() if "tt-linker-positions" in line)
    with pytest.raises(link.LinkerError, match="has 4 arguments, but other positions"):
        link.HeaderParser().extract_linker_meta(header.replace(directive, directive + " 7"))


def test_headers_of_two_kernels(tmp_path):
    with pytest.raises(link.LinkerError, match="headers of several kernels"):
        write(tmp_path, KERNEL, replace(KERNEL, name="shift_0123abcd_0d2d4c"))


def test_a_header_of_something_else(tmp_path):
    (tmp_path / "a.h").touch()
    with pytest.raises(link.LinkerError, match="no header"):
        link.main([str(tmp_path / "a.h"), "-o", str(tmp_path / "a")])
