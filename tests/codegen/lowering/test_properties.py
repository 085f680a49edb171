"""Every property of an operation is read by its lowering, or listed here with a reason.

The test searches for a property's name in the file of the operation's lowering and in the code
generation modules that this file imports. A new property fails until it is read or listed.
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
    "gpu.barrier address_spaces": "a barrier orders every address space",
    "llvm.intr.assume op_bundle_sizes": "bundles are hints for LLVM's passes only",
    "scf.execute_region no_inline": "nothing is inlined",
    "tt.call arg_attrs": "facts of arguments were used by the passes",
    "tt.call res_attrs": "facts of results were used by the passes",
    "tt.dot maxNumImpreciseAcc": "only wgmma sums imprecisely",
    "tt.dot_scaled fastMath": "the instructions give NaN for a scale of NaN by themselves",
    "tt.extern_elementwise libname": "the library is found by its path",
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
    "ttng.tmem_load NaN": "of redOp, which is refused",
    "ttng.tmem_load abs": "of redOp, which is refused",
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
    """Return the source of a module, and of those of code generation that it imports from."""
    own = Path(str(module.__file__)).read_text()
    others = re.findall(r"^from (weft\.codegen\.[\w.]+) import", own, re.MULTILINE)
    files = [str(importlib.import_module(name).__file__) for name in others]
    return "\n".join([own, *(Path(file).read_text() for file in files)])


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
