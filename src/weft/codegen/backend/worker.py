"""The worker process that runs LLVM. LLVM may abort; then only this process ends.

    python -P worker.py        reads requests from standard input, writes replies

A message is a length in 8 bytes, then a dictionary in marshal's format; both sides run the same
Python. A request names the target machine, the output form and the module's text. A reply has
`result`, or `error` with LLVM's message. A request without text starts from the module that LLVM's
own pipeline produced for the previous request, because that pipeline takes as long as code
generation.

LLVM ends the process when it cannot select an instruction. `weft.codegen.backend.machine` notices
that and starts another. It imports `send` and `receive` from here, and never loads LLVM itself.
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

WHOLE_PIPELINE = "whole"  # in a request's list of passes: LLVM's own pipeline

_LENGTH_BYTES = 8
# Short pointers: 32-bit addresses of shared memory. No loop strength reduction: it undoes the
# addressing of base and constant offset that the lowerings emit. No LDS for stack objects: AMD's
# kernels address their LDS from 0 on, without a global that LLVM would place others after.
_OPTIONS = ("--nvptx-short-ptr", "--disable-lsr", "--disable-promote-alloca-to-lds")
_CODEGEN_LEVEL = 3
_last_optimized: list[str] = []  # the last module after LLVM's own pipeline, at most one


def send(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message."""
    data = marshal.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one message.

    Returns: the message; None if the other side closed the stream.
    """
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
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


def _optimize(request: dict[str, Any]) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """Parse, link and verify a request's module, and run the passes that it names.

    Raises: RuntimeError: LLVM's parser, linker or verifier refuses the module.
    """
    import llvmlite.binding as llvm

    machine = _target_machine(request["triple"], request["cpu"], request["features"])
    context = llvm.create_context()
    text: str | None = request["text"]
    if text is None:
        text = _last_optimized_with(*request["replacement"])
    module = llvm.parse_assembly(text, context)
    module.data_layout = str(machine.target_data)
    for path, symbols in request.get("libraries", ()):
        bitcode = _library_functions(machine, path, tuple(symbols))
        _link(module, llvm.parse_bitcode(bitcode, context))
    module.verify()
    builder = _pass_builder(machine)
    before, whole, after = request["passes"].partition(WHOLE_PIPELINE)
    _run(before.split(), module, builder)
    if whole:
        builder.getModulePassManager().run(module, builder)
        _last_optimized[:] = [str(module)]
    _run(after.split(), module, builder)
    return module, machine


def _last_optimized_with(old: str, new: str) -> str:
    """Return the text of the last optimized module with `old` replaced by `new`.

    Raises: RuntimeError: no module was optimized in this process.
    """
    if not _last_optimized:
        raise RuntimeError("no optimized module to start from")
    return _last_optimized[0].replace(old, new)


def _run(names: list[str], module: llvm.ModuleRef, builder: llvm.PassBuilder) -> None:
    import llvmlite.binding as llvm

    passes = llvm.create_new_module_pass_manager()
    for name in names:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)


def _pass_builder(machine: llvm.TargetMachine) -> llvm.PassBuilder:
    """Configure LLVM's own pipeline: no loop unrolling, with SLP vectorization."""
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(3)
    options.loop_unrolling = False
    options.slp_vectorization = True
    return llvm.create_pass_builder(machine, options)


def _link(module: llvm.ModuleRef, library: llvm.ModuleRef) -> None:
    """Link a library into a module with internal linkage, so that unused functions are removed."""
    library.triple, library.data_layout = module.triple, module.data_layout
    names = [value.name for value in (*library.functions, *library.global_variables)]
    module.link_in(library)
    for name in names:
        if name.startswith("llvm."):
            continue
        values = (
            *_lookup(module.get_function, name),
            *_lookup(module.get_global_variable, name),
        )
        for value in values:
            if not value.is_declaration:
                value.linkage = "internal"


def _lookup(get: Callable[[str], llvm.ValueRef], name: str) -> list[llvm.ValueRef]:
    try:
        return [get(name)]
    except NameError:
        return []


@cache
def _library_functions(machine: llvm.TargetMachine, path: str, symbols: tuple[str, ...]) -> bytes:
    """Extract functions of a bitcode library, with everything they call.

    Args:
        machine: the target, for the pass pipeline.
        path: the library's file.
        symbols: the functions to keep; all but those marked noinline are inlined at their calls.
    Returns: bitcode with these functions alone.
    Raises: RuntimeError: the library lacks a symbol.
    """
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
    # Internal functions that no kept symbol reaches are dead now.
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(library, _pass_builder(machine))
    return library.as_bitcode()


def compile_module(request: dict[str, Any]) -> bytes:
    """Compile a request's module to its form: "llir" and "assembly" as UTF-8, or "object"."""
    module, machine = _optimize(request)
    form = request["form"]
    if form == "llir":
        return str(module).encode()
    if form == "assembly":
        return machine.emit_assembly(module).encode()
    return machine.emit_object(module)


def main() -> None:
    """Serve requests until standard input ends."""
    import llvmlite.binding as llvm

    for option in _OPTIONS:
        llvm.set_option("", option)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while (request := receive(source)) is not None:
        try:
            reply = {"result": compile_module(request)}
        except RuntimeError as error:  # from LLVM's parser, linker or verifier
            reply = {"error": str(error)}
        send(sink, reply)


if __name__ == "__main__":
    main()
