"""Triton's own LinearLayout and its own answers for an encoding; needs the wheel, no GPU."""

from __future__ import annotations

import faulthandler
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from weft.layouts import AmdWmmaEncoding, Encoding, LinearLayout, parse
from weft.layouts.encodings.base import value_text
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target


def theirs(layout: LinearLayout) -> Any:
    """Return Triton's layout with the same bases."""
    pytest.importorskip("triton")
    from triton._C.libtriton.linear_layout import LinearLayout as Theirs

    bases = [(name, vectors) for name, vectors in layout.bases.items()]
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_dims.values()), False)


def same(ours: LinearLayout, other: Any) -> bool:
    """Compare in order: dimensions, sizes and vectors."""
    bases = {name: [list(vector) for vector in vectors] for name, vectors in other.bases}
    return list(ours.bases.items()) == list(bases.items()) and [
        tuple(pair) for pair in other.out_dims
    ] == list(ours.out_dims.items())


@cache
def builder() -> Any:
    """Return a builder of Gluon operations in a context that is never freed."""
    pytest.importorskip("triton")
    from triton._C.libtriton import amd, gluon_ir, ir, nvidia

    context = ir.context()
    for load_dialects in (ir.load_dialects, amd.load_dialects, nvidia.load_dialects):
        load_dialects(context)
    _KEPT_ALIVE.append(context)
    return gluon_ir.GluonOpBuilder(context)


def context() -> Any:
    """Return the context of `builder`."""
    builder()
    return _KEPT_ALIVE[0]


_KEPT_ALIVE: list[Any] = []


def readable(encoding: Encoding) -> str:
    """Return an encoding's text as Triton parses it, which requires more of WMMA than it prints."""
    if isinstance(encoding, AmdWmmaEncoding):
        fields = dict(encoding.fields()) | {"rank": encoding.rank}
        fields["ctaLayout"] = {"register": encoding.register, "warp": encoding.warp}
        pairs = ", ".join(f"{key} = {value_text(value)}" for key, value in fields.items())
        return f"#ttg.amd_wmma<{{{pairs}}}>"
    return encoding.text(readable)


def value_with(encoding: Encoding, shape: Sequence[int], *, shared: bool = False) -> Any:
    """Return a value of a tensor, or of shared memory, that carries the encoding."""
    from triton._C.libtriton import ir

    gluon = builder()
    sizes = {"lane": 32, "warp": 4, "block": 1} | encoding.linear(tuple(shape)).in_dims
    dims = "x".join(map(str, shape))
    type_ = (
        f"!ttg.memdesc<{dims}xf32, #e, #ttg.shared_memory, mutable>"
        if shared
        else f"tensor<{dims}xf32, #e>"
    )
    text = (
        f'#e = {readable(encoding)}\nmodule attributes {{"ttg.num-ctas" = {sizes["block"]} : i32, '
        f'"ttg.num-warps" = {sizes["warp"]} : i32, '
        f'"ttg.threads-per-warp" = {sizes["lane"]} : i32}} {{\n'
        f"  tt.func @f(%x: {type_}) -> {type_} {{ tt.return %x : {type_} }}\n}}\n"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, _KEPT_ALIVE[0])
    _KEPT_ALIVE.append(module)
    users: list[Any] = []
    module.walk(lambda op: users.append(op) if op.get_num_operands() else None)
    gluon.set_insertion_point_to_start(users[0].get_block())
    return users[0].get_operand(0)


def linear(encoding: Encoding, shape: Sequence[int]) -> dict[str, list[list[int]]]:
    """Return the bases that Triton gives a distributed encoding on a shape."""
    gluon = builder().get_gluon_layout_from_tensor(value_with(encoding, shape))
    layout = builder().to_linear_layout(gluon._to_ir(builder()), list(shape))
    return {
        "register": [list(v) for v in layout.reg_bases],
        "lane": [list(v) for v in layout.lane_bases],
        "warp": [list(v) for v in layout.warp_bases],
        "block": [list(v) for v in layout.block_bases],
    }


def shared_linear(encoding: Encoding, shape: Sequence[int]) -> list[list[int]]:
    """Return the bases of the offset that Triton gives a shared encoding on a shape.

    A reshape to one dimension more makes Triton spell the layout out.
    """
    value = value_with(encoding, shape, shared=True)
    reshaped = builder().create_memdesc_reshape(value, [1, *shape])
    layout = builder().get_gluon_layout_from_memdesc(reshaped)
    return [list(vector)[1:] for vector in layout.offset_bases]


def shared_memory(chip: str) -> SharedMemory:
    """Get the shared memory of a chip as Triton counts its bank conflicts.

    Triton does not count that reads of pairs of lanes share phases.
    """
    memory = target(chip).shared_memory
    reads = {bits: replace(phase, pairs=()) for bits, phase in memory.reads.items()}
    return replace(memory, reads=reads)


def linear_or_none(encoding: Encoding, shape: Sequence[int]) -> dict[str, list[list[int]]] | None:
    """Compute `linear`, None where Triton aborts the process."""
    return answer_or_none(lambda: linear(encoding, shape))


def answer_or_none(question: Callable[[], Any]) -> Any:
    """Compute a value in a forked child, None where Triton aborts the process."""
    builder()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            answer = json.dumps(question())
            with os.fdopen(writing, "w") as stream:
                stream.write(answer)
        finally:  # a child that raised must not go on as a second test run
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def gluon_bases(layout: Any, shape: Sequence[int]) -> dict[str, list[list[int]]]:
    """Return the bases of a layout object of Gluon, of shared or tensor memory, on a shape."""
    return named_bases(builder().to_linear_layout(layout._to_ir(builder()), list(shape)))


def named_bases(layout: Any) -> dict[str, list[list[int]]]:
    """Return the bases of a layout object of Gluon by the names that weft has for them."""
    keys = {
        "reg_bases": "register",
        "lane_bases": "lane",
        "warp_bases": "warp",
        "offset_bases": "offset",
        "block_bases": "block",
        "rows": "row",
        "cols": "col",
    }
    return {
        name: [list(v) for v in getattr(layout, key)]
        for key, name in keys.items()
        if hasattr(layout, key)
    }


def inferred(operation: str, encoding: Encoding, shape: Sequence[int], *arguments: Any) -> Encoding:
    """Return the encoding of the result of create_<operation>, which must be legal."""
    value = value_with(encoding, shape)
    operands = (value, value) if operation == "join" else (value,)
    result = getattr(builder(), f"create_{operation}")(*operands, *arguments)
    match = re.match(r"tensor<(?:\d+x)*[^,]*, (.*)>$", str(result.get_type()))
    assert match
    return parse(match.group(1))


def default(shape: Sequence[int], warps: int, threads: int, blocks: int) -> Encoding:
    """Return the encoding that Triton's conversion gives a constant of this shape."""
    from triton._C.libtriton import ir, passes

    dims = "x".join(map(str, shape))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(
            "module { tt.func @f() {\n"
            f"%c = arith.constant dense<1.0> : tensor<{dims}xf32>\ntt.return }} }}\n"
        )
        file.flush()
        module = ir.parse_mlir_module(file.name, context())
    manager = ir.pass_manager(context())
    passes.ttir.add_convert_to_ttgpuir(manager, "cuda:90", warps, threads, blocks)
    manager.run(module, "default")
    match = re.search(r"^#blocked = (.*)$", module.str_nodebug(), re.MULTILINE)
    assert match
    return parse(match.group(1))
