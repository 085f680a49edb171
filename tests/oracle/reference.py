"""Run Triton's front end and passes on a weft kernel file, as the reference to compare with.

A kernel file has `import weft` and `import weft.language as tl`. `load_as_triton` replaces these
by Triton's modules, so that Triton compiles the same source. Nothing here imports weft.

The back end's own `make_ttir` and `make_ttgir` add the passes, but to a `_PassManager` instead of
Triton's pass manager: it runs the passes one at a time and records the IR between them.
"""

from __future__ import annotations

import ast
import os
import re
import statistics
import sys
import tempfile
import time
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import triton
import triton.language
import triton.language.extra
from triton._C.libtriton import amd, ir, nvidia, passes
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource, make_backend
from typing_extensions import override

from tests.oracle.client import Step

TRITON_MODULES = {
    "weft": triton,
    "weft.language": triton.language,
    "weft.language.extra": triton.language.extra,
}


class _Imports(ast.NodeTransformer):
    """Replace imports of and from weft by those of the Triton module of that name."""

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if alias.name in TRITON_MODULES:
                alias.asname = alias.asname or alias.name
                alias.name = TRITON_MODULES[alias.name].__name__
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.module in TRITON_MODULES:
            node.module = TRITON_MODULES[node.module].__name__
        return node


def load_as_triton(path: Path) -> types.ModuleType:
    """Execute a weft kernel file with Triton's modules in place of weft's.

    The code keeps its file name and line numbers, so that locations are those that weft records.
    """
    tree = _Imports().visit(ast.parse(path.read_text(), str(path)))
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
    return module


@dataclass(frozen=True, slots=True)
class Case:
    """One compile of one kernel, with the arguments of Triton's ASTSource (and weft.compile)."""

    kernel: Any
    signature: dict[str, str]
    constexprs: dict[tuple[int, ...], Any]
    attrs: dict[tuple[int, ...], list[list[object]]]
    options: dict[str, object]


def case(module: types.ModuleType, index: int) -> Case:
    """Read entry `index` of a kernel file's CASES: (kernel, signature, constexprs, options, …)."""
    kernel, text, named, options, *_ = module.CASES[index]
    signature: dict[str, str] = {}
    constexprs: dict[tuple[int, ...], Any] = {}
    attrs: dict[tuple[int, ...], list[list[object]]] = {}
    for position, (name, entry) in enumerate(zip(kernel.arg_names, _entries(text), strict=True)):
        kind, _, hint = entry.partition(":")
        signature[name] = kind
        if name in named:
            constexprs[(position,)] = named[name]
        elif kind.lstrip("-").replace(".", "", 1).isdigit():
            constexprs[(position,)] = float(kind) if "." in kind else int(kind)
            signature[name] = "constexpr"
        elif hint == "1":
            constexprs[(position,)] = 1
            signature[name] = "constexpr"
        elif hint:
            attrs[(position,)] = [["tt.divisibility", int(hint)]]
    return Case(kernel, signature, constexprs, attrs, dict(options))


def _entries(text: str) -> list[str]:
    """Split a signature at its commas, but not within the shape of a tensor descriptor."""
    return [entry.strip() for entry in re.split(r",(?![^\[]*\])", text)]


def target(name: str) -> GPUTarget:
    """Create Triton's target from "cuda:90" or "hip:gfx942"."""
    backend, arch = name.split(":")
    if backend == "cuda":
        return GPUTarget("cuda", int(arch), 32)
    return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)


class _LastPassRan(Exception):
    """The last pass that the caller asked for has run."""


@dataclass(slots=True)
class _PassManager:
    """Replace Triton's pass manager: collect the passes that a back end adds, and run each alone.

    Attributes:
        context: The MLIR context of the module.
        adders: For each pass, a function that adds it to a pass manager.
    """

    context: Any
    adders: list[Callable[[Any], object]] = field(default_factory=list, kw_only=True)

    def enable_debug(self) -> bool:
        return False

    def run(self, module: Any, stage: str) -> None:
        for add in self.adders:
            manager = ir.pass_manager(self.context)
            add(manager)
            self.run_pass(module, stage, manager, add)

    def run_pass(self, module: Any, stage: str, manager: Any, add: Callable[[Any], object]) -> None:
        """Run a manager of one pass, and record what the subclass is for."""
        raise NotImplementedError


NO_PASS = "\0"  # begins no pass name: record every pass


@dataclass(slots=True)
class _StepRecorder(_PassManager):
    """Record each pass with the IR before and after it; stop after the pass `stop_after`."""

    steps: list[Step]
    stop_after: str

    @override
    def run_pass(self, module: Any, stage: str, manager: Any, add: Callable[[Any], object]) -> None:
        name = manager.get_pipeline_str().removeprefix("any(").removesuffix(")")
        before = module.str_nodebug()
        manager.run(module, stage)
        self.steps.append(Step(stage, name, before, module.str_nodebug()))
        if name.startswith(self.stop_after):
            raise _LastPassRan


@dataclass(slots=True)
class _DumpRecorder(_PassManager):
    """Record (pass, IR, IR with locations) for the front end and after each pass."""

    dumps: list[tuple[str, str, str]]

    @override
    def run_pass(self, module: Any, stage: str, manager: Any, add: Callable[[Any], object]) -> None:
        if not self.dumps:
            self.dumps.append(("front", module.str_nodebug(), str(module)))
        name = manager.get_pipeline_str().removeprefix("any(").partition("{")[0]
        manager.run(module, stage)
        self.dumps.append((name.rstrip(")"), module.str_nodebug(), str(module)))


@dataclass(slots=True)
class _TtgirPassRecorder(_PassManager):
    """Record the IR after the conversion to TTGIR, and what adds each pass after it."""

    converted: list[str]
    passes: list[Callable[[Any], object]]

    @override
    def run_pass(self, module: Any, stage: str, manager: Any, add: Callable[[Any], object]) -> None:
        manager.run(module, stage)
        if "convert-triton-to-tritongpu" in manager.get_pipeline_str():
            self.converted.append(module.str_nodebug())
        elif self.converted:
            self.passes.append(add)


class _RecordingModule:
    """Replace a module of libtriton: its functions add passes to a `_PassManager` too."""

    def __init__(self, real: types.ModuleType, **replaced: object) -> None:
        self._real = real
        self._replaced = replaced

    def __getattr__(self, name: str) -> object:
        if name in self._replaced:
            return self._replaced[name]
        value = getattr(self._real, name)
        if isinstance(value, types.ModuleType):
            return _RecordingModule(value)
        return self._recorded(value) if callable(value) else value

    @staticmethod
    def _recorded(adder: Callable[..., object]) -> Callable[..., object]:
        def add(first: object, *rest: object) -> object:
            if isinstance(first, _PassManager):
                return first.adders.append(lambda manager: adder(manager, *rest))
            return adder(first, *rest)

        return add


def context(backend: Any) -> Any:
    """Create an MLIR context with Triton's dialects and those of a back end."""
    fresh = ir.context()
    ir.load_dialects(fresh)
    backend.load_dialects(fresh)
    return fresh


def back_end(chip: GPUTarget) -> Any:
    """Create Triton's back end for a target; a back end defines more than its base class."""
    return make_backend(chip)


def front(item: Case, chip: GPUTarget) -> tuple[Any, Any, Any]:
    """Run Triton's front end.

    Returns:
        The module, the back end and its options.
    """
    backend = back_end(chip)
    options = backend.parse_options(dict(item.options))
    names = item.kernel.arg_names
    source = ASTSource(
        item.kernel,
        item.signature,
        {(names[path[0]] if len(path) == 1 else path): v for path, v in item.constexprs.items()},
        item.attrs,
    )
    fresh = context(backend)
    functions = backend.get_codegen_implementation(options)
    module = source.make_ir(chip, options, functions, backend.get_module_map(), fresh)
    module.context = fresh
    return module, backend, options


def compile_with(
    path: Path, index: int, target_name: str, pass_manager: Callable[[Any], _PassManager]
) -> str:
    """Compile a case to TTGIR with another pass manager in place of Triton's.

    Args:
        path: The kernel file.
        index: The entry of its CASES.
        target_name: "cuda:90".
        pass_manager: Creates the pass manager of a stage from an MLIR context.

    Returns:
        The IR of the front end, without locations.
    """
    chip = target(target_name)
    item = case(load_as_triton(path), index)
    module, backend, options = front(item, chip)
    front_text = module.str_nodebug()
    stages: dict[str, Callable[..., object]] = {}
    backend.add_stages(stages, options, Language.TRITON)
    recording = {
        "ir": _RecordingModule(ir, pass_manager=pass_manager),
        "passes": _RecordingModule(passes),
        "amd": _RecordingModule(amd),
        "nvidia": _RecordingModule(nvidia),
    }
    # The stages look these modules up as globals of the back end's own module.
    namespace = vars(sys.modules[type(backend).__module__])
    originals = {name: namespace[name] for name in recording if name in namespace}
    try:
        namespace.update({name: recording[name] for name in originals})
        metadata = {"target": chip, **options.__dict__}
        for stage in ("ttir", "ttgir"):
            module = stages[stage](module, metadata)
    except _LastPassRan:
        pass
    finally:
        namespace.update(originals)
    return front_text


def trace(
    path: Path, index: int, target_name: str, stop_after: str = "convert-triton-to-tritongpu"
) -> tuple[str, list[Step]]:
    """Record the IR of Triton's front end and each pass up to and including `stop_after`."""
    steps: list[Step] = []
    front_text = compile_with(
        path, index, target_name, lambda fresh: _StepRecorder(fresh, steps, stop_after)
    )
    return front_text, steps


def steps_until_failure(path: Path, index: int, target_name: str) -> list[Step]:
    """Record every pass to the end of Triton's pipeline, or to the first TTGIR pass that fails.

    Raises:
        Exception: Triton's front end or TTIR passes refuse the kernel.
    """
    steps: list[Step] = []
    try:
        compile_with(path, index, target_name, lambda fresh: _StepRecorder(fresh, steps, NO_PASS))
    except RuntimeError:
        if not any(step.stage == "make_ttgir" for step in steps):
            raise
    return steps


def make_ttir(text: str, target_name: str) -> str:
    """Run the TTIR passes of Triton's back end on the IR text of a front end.

    Raises:
        ValueError: Triton cannot parse the text.
    """
    chip = target(target_name)
    backend = back_end(chip)
    options = backend.parse_options({})
    stages: dict[str, Callable[..., Any]] = {}
    backend.add_stages(stages, options, Language.TRITON)
    return stages["ttir"](parse(text, context(backend)), {"target": chip}).str_nodebug()


def machine_code(text: str, target_name: str) -> dict[str, object]:
    """Lower final TTGIR with Triton's back end.

    Returns:
        The texts "llir" and "ptx" or "amdgcn"; and "shared", the bytes of shared memory.

    Raises:
        ValueError: Triton cannot parse the text.
    """
    chip = target(target_name)
    backend = back_end(chip)
    warps = re.search(r'"ttg.num-warps" = (\d+)', text)
    options = backend.parse_options({"num_warps": int(warps[1])} if warps else {})
    stages: dict[str, Callable[..., object]] = {}
    backend.add_stages(stages, options, Language.TRITON)
    metadata = {"target": chip, **options.__dict__}
    module: object = parse(text, context(backend))
    texts: dict[str, object] = {}
    for form in ("llir", "ptx" if chip.backend == "cuda" else "amdgcn"):
        module = stages[form](module, metadata)
        texts[form] = str(module)
    return {**texts, "shared": metadata["shared"]}


def parse(text: str, fresh: Any) -> Any:
    """Parse IR text with Triton, in a context.

    Raises:
        ValueError: Triton cannot parse the text.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write(text)
    try:
        module = ir.parse_mlir_module(file.name, fresh)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    finally:
        os.unlink(file.name)
    module.context = fresh
    return module


def dumps(path: Path, index: int, target_name: str) -> list[tuple[str, str, str]]:
    """Record (pass, IR, IR with locations) for the front end and each pass to the last TTGIR."""
    result: list[tuple[str, str, str]] = []
    compile_with(path, index, target_name, lambda fresh: _DumpRecorder(fresh, result))
    return result


def time_layout(path: Path, index: int, target_name: str, passes: int, runs: int) -> float:
    """Measure the median ms of the first `passes` passes after the conversion to TTGIR."""
    converted: list[str] = []
    adders: list[Callable[[Any], object]] = []
    compile_with(
        path, index, target_name, lambda fresh: _TtgirPassRecorder(fresh, converted, adders)
    )
    times: list[float] = []
    for _ in range(runs + 1):
        fresh = context(back_end(target(target_name)))
        module = parse(converted[0], fresh)
        manager = ir.pass_manager(fresh)
        for add in adders[:passes]:
            add(manager)
        start = time.perf_counter()
        manager.run(module, "layout")
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


def gluon_pass(text: str, name: str) -> str:
    """Run one of Triton's passes for Gluon on IR text, named as in its Python bindings.

    Raises:
        ValueError: Triton cannot parse the text.
    """
    fresh = ir.context()
    ir.load_dialects(fresh)
    amd.load_dialects(fresh)
    nvidia.load_dialects(fresh)
    module = parse(text, fresh)
    manager = ir.pass_manager(fresh)
    getattr(passes.gluon, name)(manager)
    manager.run(module, name)
    return module.str_nodebug()


def canonical(text: str) -> str:
    """Parse IR text and print it as MLIR does: values and aliases renumbered, no locations.

    Raises:
        ValueError: Triton cannot parse the text.
    """
    fresh = ir.context()
    ir.load_dialects(fresh)
    amd.load_dialects(fresh)
    nvidia.load_dialects(fresh)
    return parse(text, fresh).str_nodebug()
