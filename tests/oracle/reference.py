"""Triton's own front end and passes, run on a weft kernel file, as the reference to compare with.

A kernel file says `import weft` and `import weft.language as tl`; read with Triton's modules in
their place the very same source compiles with Triton. Nothing here imports weft.

Triton's passes are recorded one at a time: the back end's own `make_ttir` and `make_ttgir` run
with a stand-in for the pass manager that notes each pass, then runs it alone.
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

import triton
import triton.language
import triton.language.extra
from triton._C.libtriton import amd, ir, nvidia, passes
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource, make_backend

STAND_INS = {
    "weft": triton,
    "weft.language": triton.language,
    "weft.language.extra": triton.language.extra,
}


class _Imports(ast.NodeTransformer):
    """Turn imports of and from weft into those of the Triton module that stands in for it."""

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if alias.name in STAND_INS:
                alias.asname = alias.asname or alias.name
                alias.name = STAND_INS[alias.name].__name__
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.module in STAND_INS:
            node.module = STAND_INS[node.module].__name__
        return node


def load_as_triton(path: Path) -> types.ModuleType:
    """Return the module of a weft kernel file with Triton in weft's place.

    Code keeps its file name and line numbers, so Triton reads the kernels' source, and writes
    their locations, as weft does.
    """
    tree = _Imports().visit(ast.parse(path.read_text(), str(path)))
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
    return module


@dataclass(frozen=True, slots=True)
class Case:
    """One compile of one kernel, in the terms of Triton's ASTSource (and of weft.compile)."""

    kernel: object
    signature: dict[str, str]
    constexprs: dict[tuple[int, ...], object]
    attrs: dict[tuple[int, ...], list[list[object]]]
    options: dict[str, object]


def case(module: types.ModuleType, index: int) -> Case:
    """Read entry `index` of a kernel file's CASES: (kernel, signature, constexprs, options, …)."""
    kernel, text, named, options, *_ = module.CASES[index]
    signature: dict[str, str] = {}
    constexprs: dict[tuple[int, ...], object] = {}
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
    """Return Triton's target for "cuda:90" or "hip:gfx942"."""
    backend, arch = name.split(":")
    if backend == "cuda":
        return GPUTarget("cuda", int(arch), 32)
    return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)


@dataclass(frozen=True, slots=True)
class Step:
    """One pass of Triton's pipeline: its MLIR name with options, and the IR before and after."""

    stage: str
    pipeline: str
    before: str
    after: str


class _Done(Exception):
    """The last pass that was asked for has run."""


@dataclass(slots=True)
class _RecordingManager:
    """Stand in for a pass manager: note each pass, then run them one at a time."""

    context: object
    steps: list[Step]
    stop_after: str
    adders: list[Callable[[object], None]] = field(default_factory=list)

    def enable_debug(self) -> bool:
        return False

    def run(self, module: object, stage: str) -> None:
        for add in self.adders:
            manager = ir.pass_manager(self.context)
            add(manager)
            name = manager.get_pipeline_str().removeprefix("any(").removesuffix(")")
            before = module.str_nodebug()
            manager.run(module, stage)
            self.steps.append(Step(stage, name, before, module.str_nodebug()))
            if name.startswith(self.stop_after):
                raise _Done


class _Recording:
    """Stand in for one of libtriton's modules, handing its pass adders to a recording manager."""

    def __init__(self, real: types.ModuleType, **replaced: object) -> None:
        self._real = real
        self._replaced = replaced

    def __getattr__(self, name: str) -> object:
        if name in self._replaced:
            return self._replaced[name]
        value = getattr(self._real, name)
        if isinstance(value, types.ModuleType):
            return _Recording(value)
        return self._recorded(value) if callable(value) else value

    @staticmethod
    def _recorded(adder: Callable[..., object]) -> Callable[..., object]:
        def add(first: object, *rest: object) -> object:
            if isinstance(first, _RecordingManager):
                return first.adders.append(lambda manager: adder(manager, *rest))
            return adder(first, *rest)

        return add


def context(backend: object) -> object:
    """Return a fresh MLIR context that knows Triton's dialects and the back end's."""
    fresh = ir.context()
    ir.load_dialects(fresh)
    backend.load_dialects(fresh)
    return fresh


def front(item: Case, chip: GPUTarget) -> tuple[object, object, object]:
    """Run Triton's front end, and return (module, back end, options)."""
    backend = make_backend(chip)
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


def trace(
    path: Path,
    index: int,
    target_name: str,
    stop_after: str = "convert-triton-to-tritongpu",
    record: type[_RecordingManager] | None = None,
) -> tuple[str, list[Step]]:
    """Return the IR of Triton's front end and each pass up to and including `stop_after`.

    Args: record: what runs the passes and keeps their steps.
    """
    chip = target(target_name)
    item = case(load_as_triton(path), index)
    module, backend, options = front(item, chip)
    first, steps = module.str_nodebug(), []
    stages: dict[str, Callable[..., object]] = {}
    backend.add_stages(stages, options, Language.TRITON)
    namespace = sys.modules[type(backend).__module__].__dict__
    kept = {
        name: namespace[name] for name in ("ir", "passes", "amd", "nvidia") if name in namespace
    }

    def manager(fresh: object) -> _RecordingManager:
        return (record or _RecordingManager)(fresh, steps, stop_after)

    recorders = {
        "ir": _Recording(ir, pass_manager=manager),
        "passes": _Recording(passes),
        "amd": _Recording(amd),
        "nvidia": _Recording(nvidia),
    }
    kept = {name: namespace[name] for name in recorders if name in namespace}
    try:
        namespace.update({name: recorders[name] for name in kept})
        metadata = {"target": chip, **options.__dict__}
        for stage in ("ttir", "ttgir"):
            module = stages[stage](module, metadata)
    except _Done:
        pass
    finally:
        namespace.update(kept)
    return first, steps


def make_ttir(text: str, target_name: str) -> str:
    """Return what the back end's own TTIR passes make of a front end's IR text.

    Raises: ValueError: Triton's parser does not take the text.
    """
    chip = target(target_name)
    backend = make_backend(chip)
    options = backend.parse_options({})
    stages: dict[str, Callable[..., object]] = {}
    backend.add_stages(stages, options, Language.TRITON)
    return stages["ttir"](parse(text, context(backend)), {"target": chip}).str_nodebug()


def machine_code(text: str, target_name: str) -> dict[str, object]:
    """Return what Triton's back end makes of final TTGIR, and the bytes of shared memory it takes.

    Returns: texts by form, "llir" and "ptx" or "amdgcn"; "shared": bytes.
    Raises: ValueError: Triton's parser does not take the text.
    """
    chip = target(target_name)
    backend = make_backend(chip)
    warps = re.search(r'"ttg.num-warps" = (\d+)', text)
    options = backend.parse_options({"num_warps": int(warps[1])} if warps else {})
    makers: dict[str, Callable[..., object]] = {}
    backend.add_stages(makers, options, Language.TRITON)
    metadata = {"target": chip, **options.__dict__}
    module: object = parse(text, context(backend))
    made: dict[str, object] = {}
    for form in ("llir", "ptx" if chip.backend == "cuda" else "amdgcn"):
        module = makers[form](module, metadata)
        made[form] = str(module)
    return {**made, "shared": metadata["shared"]}


def parse(text: str, fresh: object) -> object:
    """Return the module of an IR text, in a context.

    Raises: ValueError: Triton's parser does not take the text.
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


class _DumpingManager(_RecordingManager):
    """Run all passes, and keep the IR in front of the first and behind each, in both forms."""

    def run(self, module: object, stage: str) -> None:
        if not self.steps:
            self.steps.append(("front", module.str_nodebug(), str(module)))
        for add in self.adders:
            manager = ir.pass_manager(self.context)
            add(manager)
            name = manager.get_pipeline_str().removeprefix("any(").partition("{")[0]
            manager.run(module, stage)
            self.steps.append((name.rstrip(")"), module.str_nodebug(), str(module)))


def dumps(path: Path, index: int, target_name: str) -> list[tuple[str, str, str]]:
    """Return (pass, IR, IR with locations) for the front end and each pass to the last TTGIR."""
    return trace(path, index, target_name, "", _DumpingManager)[1]


class _NotingManager(_RecordingManager):
    """Run all passes and keep what added each, behind the conversion to TTGIR, and the IR there."""

    def run(self, module: object, stage: str) -> None:
        for add in self.adders:
            manager = ir.pass_manager(self.context)
            add(manager)
            manager.run(module, stage)
            if "convert-triton-to-tritongpu" in manager.get_pipeline_str():
                self.steps.append(module.str_nodebug())
            elif self.steps:
                self.steps.append(add)


def time_layout(path: Path, index: int, target_name: str, passes: int, runs: int) -> float:
    """Return the median ms that the first `passes` passes behind the conversion take together."""
    text, *adders = trace(path, index, target_name, "", _NotingManager)[1]
    times: list[float] = []
    for _ in range(runs + 1):
        fresh = context(make_backend(target(target_name)))
        module = parse(text, fresh)
        manager = ir.pass_manager(fresh)
        for add in adders[:passes]:
            add(manager)
        start = time.perf_counter()
        manager.run(module, "layout")
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


def canonical(text: str) -> str:
    """Return IR text as MLIR itself prints it: values and aliases numbered afresh, no locations.

    Raises: ValueError: Triton's parser does not take the text.
    """
    fresh = ir.context()
    ir.load_dialects(fresh)
    amd.load_dialects(fresh)
    nvidia.load_dialects(fresh)
    return parse(text, fresh).str_nodebug()
