"""TTIR passes: the IR is Triton's after every pass of a pipeline.

The texts are equal exactly when the modules are identical up to SSA names: both printers number
values in the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.passes.triton_passes import triton_after

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

TARGETS = ("cuda:90", "hip:gfx942")

# The kernels avoid two defects of Triton 3.7.1: an unrealized cast where the rank of a descriptor
# changes, and the bounds of an unsigned loop, which triton-licm compares as signed numbers.
PASSES: dict[str, Callable[[Any, Any], None]] = {
    "inline": lambda passes, pm: passes.common.add_inliner(pm),
    "triton-rewrite-tensor-pointer": lambda passes, pm: passes.ttir.add_rewrite_tensor_pointer(pm),
    "triton-rewrite-tensor-descriptor-to-pointer": (
        lambda passes, pm: passes.ttir.add_rewrite_tensor_descriptor_to_pointer(pm)
    ),
    "canonicalize": lambda passes, pm: passes.common.add_canonicalizer(pm),
    "triton-combine": lambda passes, pm: passes.ttir.add_combine(pm),
    "triton-reorder-broadcast": lambda passes, pm: passes.ttir.add_reorder_broadcast(pm),
    "cse": lambda passes, pm: passes.common.add_cse(pm),
    "triton-licm": lambda passes, pm: passes.ttir.add_triton_licm(pm),
    "symbol-dce": lambda passes, pm: passes.common.add_symbol_dce(pm),
    "sccp": lambda passes, pm: passes.common.add_sccp(pm),
    "triton-loop-aware-cse": lambda passes, pm: passes.ttir.add_loop_aware_cse(pm),
    "triton-loop-unroll": lambda passes, pm: passes.ttir.add_loop_unroll(pm),
}


def _cases() -> list[str]:
    from tests.passes.oracle_kernels import KERNELS

    return sorted(KERNELS)


def _source(case: Any) -> Any:
    from triton.compiler import ASTSource

    parameter_types = iter(part.strip() for part in case.signature.split(","))
    signature: dict[str, str] = {}
    attributes: dict[tuple[int], list[list[object]]] = {}
    for index, name in enumerate(case.kernel.arg_names):
        if name in case.constexprs:
            signature[name] = "constexpr"
            continue
        kind, _, divisor = next(parameter_types).partition(":")
        signature[name] = kind
        if divisor:
            attributes[(index,)] = [["tt.divisibility", int(divisor)]]
    return ASTSource(case.kernel, signature, dict(case.constexprs), attributes)


@cache
def front(name: str, target: str) -> str:
    """Compile a kernel to TTIR with Triton's front end."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    from tests.passes.oracle_kernels import KERNELS

    kind, arch = target.split(":")
    chip = GPUTarget(kind, int(arch), 32) if kind == "cuda" else GPUTarget(kind, arch, 64)
    backend: Any = make_backend(chip)
    source = _source(KERNELS[name])
    options = backend.parse_options(source.parse_options())
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(
        chip,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        context,
    )
    module.context = context
    return module.str_nodebug()


def weft_after(text: str, name: str) -> str:
    from weft.ir.text import parse_module, print_module
    from weft.passes import parse_pipeline, run_pipeline

    module = parse_module(text)
    run_pipeline(parse_pipeline(name), module, verify=True)
    return print_module(module)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", _cases())
def test_every_pass_on_every_step(name, target):
    from tests.passes.oracle_kernels import KERNELS

    if target.split(":")[0] not in KERNELS[name].backends:
        pytest.skip("the kernel is not for this back end")
    text = front(name, target)
    for early in ("canonicalize", "cse", "symbol-dce"):
        assert weft_after(text, early) == triton_after(text, early), f"{early} first"
    for step in PASSES:
        expected = triton_after(text, step)
        assert weft_after(text, step) == expected, step
        text = expected
