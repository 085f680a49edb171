"""Kernels that are compiled with other layouts compute what the heuristics' code computes.

The interpreter runs TTIR, the simulator the LLVM IR of the kernel with `layouts="optimal"`.
"""

from __future__ import annotations

import pytest

from tests.optimum.programs import CHIPS, EXAMPLES, QUICK, cases
from tests.oracle import lowered
from tests.oracle.corpus import KERNELS, TARGETS, is_for
from weft.compiler.machine_code import count_shared_bytes
from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.kernel.compile import compile
from weft.kernel.files import Case, load_cases, load_file
from weft.optimum.assignment import module_cost
from weft.targets import target

pytest.importorskip("highspy")

# An example of each kind by default; every case, on an NVIDIA and an AMD chip in turn, among the
# slow tests.
DEFAULT = (
    "softmax-0",
    "vector_add-1",
    "transpose-3",
    "rotary_embedding-0",
    "layer_norm_backward-1",
)
SKIPPED = ("demo", "gluon_transpose")
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem not in SKIPPED))
CASES = [
    pytest.param(
        case,
        chip,
        id=f"{name}-{chip}",
        marks=() if name in DEFAULT and chip == CHIPS[number % len(CHIPS)] else pytest.mark.slow,
    )
    for number, (name, case) in enumerate(cases(NAMES))
    for chip in CHIPS[number % 2 :: 2]
]


def module_of(case: Case, chip: str, stage: str = "ttgir", **options: object) -> ModuleOp:
    """Compile a kernel, or skip the test if it is for other chips."""
    try:
        return compile(
            case.kernel,
            signature=case.signature,
            constexprs=case.constexprs,
            target=chip,
            stop_after=stage,
            options={**case.options, **options},
        ).module(stage)
    except WeftError as error:
        if options:
            raise
        pytest.skip(error.message)


def check(case: Case, chip: str) -> None:
    """Compare costs and shared memory of the heuristics' code and the optimum's, and the result.

    Threads of a kernel that write to the same places leave a result that depends on their order,
    and so on layouts; such kernels are not compared.
    """
    heuristics, ttir = module_of(case, chip), module_of(case, chip, "ttir")
    optimal = module_of(case, chip, layouts="optimal")
    assert module_cost(optimal, target(chip)) <= module_cost(heuristics, target(chip))
    fits = target(chip).lds_bytes
    if (count_shared_bytes(heuristics) or 0) <= fits:
        assert (count_shared_bytes(optimal) or 0) <= fits
    try:
        difference = lowered.check(lambda: (ttir, optimal))
    except lowered.Unsuitable as problem:
        pytest.skip(str(problem))
    assert not difference


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_an_example_means_the_same(case: Case, chip: str):
    check(case, chip)


# Kernels whose optimum takes a second or two; every sixth one of the corpus among the slow tests.
DEFAULT_OF_CORPUS = ("conversions-13", "dots-2", "memory-1", "pipelined-9", "shapes-14")
CORPUS = [
    pytest.param(
        path, index, TARGETS[number % len(TARGETS)], id=f"{path.stem}-{index}",
        marks=() if f"{path.stem}-{index}" in DEFAULT_OF_CORPUS else pytest.mark.slow,
    )
    for number, (path, index) in enumerate(KERNELS)
    if number % 6 == 1 and is_for(path, index, TARGETS[number % len(TARGETS)])
]  # fmt: skip


@pytest.mark.parametrize(("path", "index", "chip"), CORPUS)
def test_a_kernel_of_the_corpus_means_the_same(path, index, chip):
    check(load_cases(load_file(str(path)))[index], chip)


def test_the_quick_examples_are_among_them():
    assert {*QUICK} <= {*NAMES}
