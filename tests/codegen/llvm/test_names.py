"""Names in LLVM IR text."""

import weft
import weft.language as tl
from weft.codegen.llvm.names import global_name


@weft.jit
def increment(x):
    return x + 1


@weft.jit(noinline=True)
def apply(x, function: tl.constexpr):
    return function(x)


@weft.jit
def kernel(x):
    tl.store(x, apply(tl.load(x), increment))


def test_other_characters_are_quoted():
    assert global_name("kernels.f__i32_c2") == "@kernels.f__i32_c2"
    assert global_name("f<i32, c2>") == '@"f<i32, c2>"'


def test_a_function_with_such_a_name_compiles():
    for target, stage in (("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")):
        assert weft.compile(kernel, signature="*i32", target=target).asm[stage]
