"""The process in which LLVM runs: it may abort, and whoever asked must not.

    python -P worker.py        reads requests from standard input, writes replies

Both are a length in 8 bytes, then a dictionary as marshal writes it: both sides run the same
Python. A request names the machine, the form that is wanted and the text; a reply has `result`, or
`error` with what LLVM said. A request with no text is for what LLVM's own pipeline left of the
last: it takes as long as selecting the code, and is run once.

LLVM ends the process where it cannot select an instruction; `weft.codegen.backend.machine` notices,
and starts another. It takes `send` and `receive` from here, and never loads LLVM itself.
"""

from __future__ import annotations

import marshal
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

    import llvmlite.binding as llvm

__all__ = ["WHOLE_PIPELINE", "main", "receive", "send"]

WHOLE_PIPELINE = "whole"  # among the passes of a request: LLVM's own pipeline

_LENGTH = 8
_OPTIONS = ("--nvptx-short-ptr", "--disable-lsr")
_CODEGEN_LEVEL = 3
_kept: list[str] = []  # the last module that LLVM's own pipeline was run over, as it left it


def send(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message."""
    data = marshal.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one message; None where the other side has closed."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    length = int.from_bytes(head, "little")
    data = stream.read(length)
    return marshal.loads(data) if len(data) == length else None


@cache
def _target_machine(triple: str, cpu: str, features: str) -> llvm.TargetMachine:
    import llvmlite.binding as llvm

    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=_CODEGEN_LEVEL, reloc="pic"
    )
    machine.set_asm_verbosity(False)
    return machine


def _prepared(request: dict[str, Any]) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """Return the module of a request, checked and simplified by the passes that it names."""
    import llvmlite.binding as llvm

    machine = _target_machine(request["triple"], request["cpu"], request["features"])
    context = llvm.create_context()
    text: str | None = request["text"]
    if text is None:
        text = _kept_with(*request["replaced"])
    module = llvm.parse_assembly(text, context)
    module.data_layout = str(machine.target_data)
    for path, symbols in request.get("libraries", ()):
        _link(module, llvm.parse_bitcode(_parts_of(machine, path, tuple(symbols)), context))
    module.verify()
    builder = _builder(machine)
    before, whole, after = request["passes"].partition(WHOLE_PIPELINE)
    _run(before.split(), module, builder)
    if whole:
        builder.getModulePassManager().run(module, builder)
        _kept[:] = [str(module)]
    _run(after.split(), module, builder)
    return module, machine


def _kept_with(there: str, instead: str) -> str:
    """Return the module that was kept, one piece of its text replaced by another."""
    if not _kept:
        raise RuntimeError("no module was kept")
    return _kept[0].replace(there, instead)


def _run(names: list[str], module: llvm.ModuleRef, builder: llvm.PassBuilder) -> None:
    import llvmlite.binding as llvm

    passes = llvm.create_new_module_pass_manager()
    for name in names:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)


def _builder(machine: llvm.TargetMachine) -> llvm.PassBuilder:
    """Return what makes pipelines: loops stay loops, and neighbouring values become vectors."""
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(3)
    options.loop_unrolling = False
    options.slp_vectorization = True
    return llvm.create_pass_builder(machine, options)


def _link(module: llvm.ModuleRef, library: llvm.ModuleRef) -> None:
    """Put a library into a module, for its own use."""
    library.triple, library.data_layout = module.triple, module.data_layout
    names = [one.name for one in (*library.functions, *library.global_variables)]
    module.link_in(library)
    for name in names:
        if name.startswith("llvm."):
            continue
        for one in (*_named(module.get_function, name), *_named(module.get_global_variable, name)):
            if not one.is_declaration:
                one.linkage = "internal"


def _named(get: Callable[[str], llvm.ValueRef], name: str) -> list[llvm.ValueRef]:
    try:
        return [get(name)]
    except NameError:
        return []


@cache
def _parts_of(machine: llvm.TargetMachine, path: str, symbols: tuple[str, ...]) -> bytes:
    """Return some functions of a library and what they need, as bitcode."""
    import llvmlite.binding as llvm

    with open(path, "rb") as file:
        library = llvm.parse_bitcode(file.read(), llvm.create_context())
    missing = set(symbols)
    for function in library.functions:
        if function.is_declaration:
            continue
        missing.discard(function.name)
        function.linkage = "external" if function.name in symbols else "internal"
        if b"noinline" not in b" ".join(function.attributes):
            function.add_function_attribute("alwaysinline")
    if missing:
        raise RuntimeError(f"{path} has no {', '.join(sorted(missing))}")
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(library, _builder(machine))
    return library.as_bitcode()


def answer(request: dict[str, Any]) -> bytes:
    """Return what is asked for: text, or an object."""
    module, machine = _prepared(request)
    form = request["form"]
    if form == "llir":
        return str(module).encode()
    if form == "assembly":
        return machine.emit_assembly(module).encode()
    return machine.emit_object(module)


def main() -> None:
    """Answer requests until standard input ends."""
    import llvmlite.binding as llvm

    for option in _OPTIONS:
        llvm.set_option("", option)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while (request := receive(source)) is not None:
        try:
            reply = {"result": answer(request)}
        except RuntimeError as error:  # what LLVM's parser and verifier say
            reply = {"error": str(error)}
        send(sink, reply)


if __name__ == "__main__":
    main()
