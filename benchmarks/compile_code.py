"""Compile one example from source to PTX, and on to a cubin, with weft or with Triton.

    python -m benchmarks.compile_code weft softmax cuda:90      prints "ms to PTX, ms to cubin"
    python -m benchmarks.compile_code weft softmax hip:gfx942   to AMDGCN assembly, to an hsaco

Run like this it is a cold compile: the clock starts before anything is imported. Neither side
imports the other, and nothing is taken from a cache.
"""

from __future__ import annotations

import time

START = time.perf_counter()

import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402

EXAMPLES = Path(__file__).parents[1] / "examples"
Times = tuple[float, float]
"""The ms from the start to the text, PTX or AMDGCN, and to what the driver loads."""


def weft_once(example: str, chip: str) -> Callable[[float], Times]:
    """Create a function that compiles case 0 with weft and returns the ms since a start time."""
    import weft
    from weft.compiler.machine_code import llvm_machine, start_llvm

    known = weft.targets.target(chip)
    start_llvm(known.llvm_cpu if known.backend == "cuda" else "")
    kernel, signature, constexprs, options, *_ = _example(example).CASES[0]

    def run(start: float) -> Times:
        from weft.compiler.machine_code import link_hsaco

        compiled = weft.compile(
            kernel, signature=signature, constexprs=constexprs, target=chip, **options
        )
        llvm = compiled.asm.llvm
        lowered_at = time.perf_counter()
        text = llvm_machine().emit(llvm, "assembly")
        printed = time.perf_counter()
        if llvm.target.backend == "hip":
            link_hsaco(llvm)  # needs no text
            return (printed - start) * 1e3, (
                time.perf_counter() - printed + lowered_at - start
            ) * 1e3
        from weft.codegen.backend.ptxas import ptxas_for

        assembler = ptxas_for(llvm.target.llvm_cpu)
        assert assembler is not None, "no ptxas on this machine"
        assembler.assemble(llvm, text)
        return _ms(start, printed)

    return run


def triton_once(example: str, chip_name: str) -> Callable[[float], Times]:
    """Create a function that compiles case 0 with Triton and returns the ms since a start time."""
    from triton.backends.compiler import Language

    from tests.oracle import reference

    chip = reference.target(chip_name)
    item = reference.case(reference.load_as_triton(EXAMPLES / f"{example}.py"), 0)

    def run(start: float) -> Times:

        module, backend, options = reference.front(item, chip)
        makers: dict[str, Callable[..., object]] = {}
        backend.add_stages(makers, options, Language.TRITON)
        metadata = {"target": chip, **options.__dict__}
        printed = start
        for form, make in makers.items():
            module = make(module, metadata)
            if form in ("ptx", "amdgcn"):
                printed = time.perf_counter()
        return _ms(start, printed)

    return run


def _example(name: str) -> object:
    from tests.examples.loading import load

    return load(name)


def _ms(start: float, printed: float) -> Times:
    return (printed - start) * 1e3, (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    once = {"weft": weft_once, "triton": triton_once}[sys.argv[1]]
    print(*once(*sys.argv[2:])(START))
