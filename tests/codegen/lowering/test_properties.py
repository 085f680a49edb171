"""Every property of an operation is read by its lowering, or listed here with a reason.

The test searches for a property's name in the file of the operation's lowering, in the modules of
code generation and of lowering plans that this file imports, and in those that a plan imports.
A new property fails until it is read or listed.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from xdsl.irdl import IRDLOperation

import weft.ir
from weft.codegen.lowering import registry

# The number of operands of each kind is read with the operands; flags of arithmetic
# allow what machine code does not do.
OF_NO_MATTER = {"operandSegmentSizes", "resultSegmentSizes", "fastmath", "isExact", "overflowFlags"}
IGNORED = {
    "amdg.async_copy_local_to_global cache": "has no effect, as with Triton 3.7.1",
    "amdg.async_copy_local_to_global evict": "has no effect, as with Triton 3.7.1",
    "gpu.barrier address_spaces": "a barrier orders every address space",
    "llvm.intr.assume op_bundle_sizes": "bundles are hints for LLVM's passes only",
    "scf.execute_region no_inline": "nothing is inlined",
    "tt.call arg_attrs": "facts of arguments were used by the passes",
    "tt.call res_attrs": "facts of results were used by the passes",
    "tt.dot maxNumImpreciseAcc": "only wgmma sums imprecisely",
    "tt.dot_scaled fastMath": "the instructions give NaN for a scale of NaN by themselves",
    "tt.extern_elementwise pure": "calls of libraries keep their places",
    "tt.gather efficient_layout": "a hint for the passes",
    "tt.load boundaryCheck": "of block pointers, which passes have made pointers",
    "tt.load padding": "of block pointers, which passes have made pointers",
    "tt.make_range end": "the result's shape says it",
    "tt.reshape efficient_layout": "a hint for the passes",
    "tt.store boundaryCheck": "of block pointers, which passes have made pointers",
    "ttg.global_scratch_alloc alignment": "read where the program's part is laid out",
    "ttg.global_scratch_alloc nbytes": "read where the program's part is laid out",
    "ttg.memdesc_trans order": "the result's layout says it",
    "ttg.warp_id omitUniformHint": "no hint is given",
    "ttg.warp_specialize requestedRegisters": "actualRegisters follow from it",
    "ttg.warp_specialize partitionNumWarps": "read where the kernel's warps are counted",
    "ttng.async_tma_copy_global_to_local isVolatile": "each copy is made once",
}


@cache
def operations() -> dict[str, type[IRDLOperation]]:
    """Return the classes of operations by name."""
    actual: dict[str, type[IRDLOperation]] = {}
    for info in pkgutil.walk_packages(weft.ir.__path__, "weft.ir."):
        for value in vars(importlib.import_module(info.name)).values():
            if inspect.isclass(value) and issubclass(value, IRDLOperation):
                name = getattr(value, "name", None)
                if isinstance(name, str):
                    actual[name] = value
    return actual


@cache
def text_around(module: ModuleType) -> str:
    """Return the source of a module, and of those that decide with it what code to generate."""
    own = Path(str(module.__file__)).read_text()
    texts = {module.__name__: own}
    worklist = _imports(own, r"weft\.codegen|weft\.lowering_plans")
    while worklist:
        name = worklist.pop()
        if name not in texts:
            texts[name] = Path(str(importlib.import_module(name).__file__)).read_text()
            if name.startswith("weft.lowering_plans"):
                worklist += _imports(texts[name], r"weft\.lowering_plans")
    return "\n".join(texts.values())


def _imports(text: str, packages: str) -> list[str]:
    """Return the modules of some packages that a source file imports from."""
    return re.findall(rf"^from ((?:{packages})(?:\.\w+)*) import", text, re.MULTILINE)


def unread() -> Iterator[str]:
    for name in sorted(registry._LOWERINGS):
        operation = operations().get(name)
        if operation is None:
            continue
        module = inspect.getmodule(registry._LOWERINGS.get(name))
        assert module is not None
        text = text_around(module)
        for field in operation.get_irdl_definition().properties:
            if field not in OF_NO_MATTER and not re.search(rf"[.\"']{field}\b", text):
                yield f"{name} {field}"


def test_every_property_is_read_or_listed():
    assert set(unread()) == set(IGNORED)
