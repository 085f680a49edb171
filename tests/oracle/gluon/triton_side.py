"""Compile the kernels with Triton: `python -m tests.oracle.gluon.triton_side` prints JSON."""

from __future__ import annotations

import json
from typing import Any

import triton._C.libtriton as libtriton
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import make_backend
from triton.experimental.gluon._runtime import GluonASTSource

from tests.oracle.gluon.kernels import CASES


def compile_case(kernel, types, constants, name) -> dict[str, str]:
    """Return the IR of a kernel after the front end and after the passes."""
    backend_name, arch = name.split(":")
    chip = int(arch) if backend_name == "cuda" else arch
    target = GPUTarget(backend_name, chip, 64 if arch.startswith("gfx9") else 32)
    backend: Any = make_backend(target)  # of CUDA or HIP, whose methods have no base declaration
    constants = dict(constants)
    options = {
        "num_warps": constants.pop("num_warps", 4),
        "num_ctas": constants.pop("num_ctas", 1),
    }
    parsed = backend.parse_options(options | {"arch": backend.parse_options({}).arch})
    signature = {each: types.get(each, "constexpr") for each in kernel.arg_names}
    source: Any = GluonASTSource(kernel, signature, constants)
    context = libtriton.ir.context()
    libtriton.ir.load_dialects(context)
    backend.load_dialects(context)
    functions, modules = backend.get_codegen_implementation(parsed), backend.get_module_map()
    module = source.make_ir(target, parsed, functions, modules, context)
    front = module.str_nodebug()
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.GLUON)
    return {"source": front, "ttgir": stages["ttgir"](module, {}).str_nodebug()}


def main() -> None:
    """Print the IR of every case and target."""
    results = {
        f"{index}-{target}": compile_case(kernel, types, constants, target)
        for index, (kernel, types, constants, targets) in enumerate(CASES)
        for target in targets
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
