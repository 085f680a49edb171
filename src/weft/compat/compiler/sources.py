"""A kernel with its signature, as programs for Triton pass it to `triton.compile`.

ASTSource(kernel, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64},
          {(0,): [["tt.divisibility", 16]]})
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.compat.backends.compiler import Language
from weft.compiler.ast_to_ttir import ast_to_ttir
from weft.compiler.fingerprint import fingerprint
from weft.compiler.options import options_for
from weft.compiler.signature import Attributes, Constants, Signature
from weft.errors import WeftError
from weft.ir.text import parse_module
from weft.kernel.kernel_interface import kernel_of
from weft.targets import target as find_target

if TYPE_CHECKING:
    from weft.ir.operation_views import ModuleView

__all__ = ["ASTSource", "IRSource"]

# The compile options that the front end reads; not every back end has all.
_OPTIONS = (
    "num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow", "enable_fp_fusion",
    "maxnreg",
)  # fmt: skip


class ASTSource:
    """A kernel with its signature.

    Attributes:
        fn: The kernel.
        signature: As of `Signature.of`.
        constexprs: As of `Signature.of`.
        constants: The constants by path: {(3,): 64}.
        attrs: As of `Signature.of`.
        language: Triton or Gluon.
        ext: The kind of IR that it becomes.
        name: The name of the kernel.
    """

    language, ext = Language.TRITON, "ttir"

    def __init__(
        self,
        fn: Any,  # anything with a kernel inside
        signature: str | Mapping[str, object] | Signature,
        constexprs: Constants | None = None,
        attrs: Attributes | None = None,
    ) -> None:
        self.fn = fn
        self.name: str = getattr(fn, "__name__", "")
        self.signature = signature
        self.constexprs = constexprs
        self.constants = self._by_path(constexprs or {})
        self.attrs = attrs or {}

    def _by_path(self, constexprs: Mapping[Any, object]) -> dict[tuple[int, ...], object]:
        names = getattr(self.fn, "arg_names", [])
        paths: dict[tuple[int, ...], object] = {}
        for key, value in constexprs.items():
            if isinstance(key, str):
                if key not in names:
                    continue
                key = (names.index(key),)
            paths[(key,) if isinstance(key, int) else tuple(key)] = value
        return paths

    def hash(self) -> str:
        """Compute a digest of the kernel's source and the signature."""
        kernel = kernel_of(self.fn)
        parts = (fingerprint(kernel), self.signature, sorted(self.constants.items()), self.attrs)
        return hashlib.sha256("-".join(map(str, parts)).encode()).hexdigest()

    def make_ir(
        self,
        target: object,
        options: Any,  # of any back end
        codegen_fns: object,
        module_map: object,
        context: object,
    ) -> ModuleView:
        """Compile to TTIR, as the front end emits it."""
        from weft.ir.operation_views import ModuleView

        chip = find_target(str(target))
        kernel = kernel_of(self.fn)
        signature = Signature.of(kernel, self.signature, self.constexprs, self.attrs)
        values = {name: getattr(options, name, None) for name in _OPTIONS}
        front_end_options = {name: value for name, value in values.items() if value is not None}
        return ModuleView(
            ast_to_ttir(kernel, signature, chip, options_for(chip, front_end_options))
        )

    def parse_options(self) -> dict[str, object]:
        """Get the compile options that the source itself determines: none."""
        return {}


class IRSource:
    """A file of IR.

    Attributes:
        path: The file.
        ext: Its stage: "ttir" or "ttgir".
        src: Its text.
        name: The symbol of the kernel: "@add".
        module: The module; PTX has none.
        signature: The type of each argument by position: "*f32", "i32".
        language: Triton.
    """

    language = Language.TRITON

    def __init__(self, path: str, context: object = None, backend: object = None) -> None:
        self.path = path
        self.ext = Path(path).suffix.removeprefix(".")
        self.src = Path(path).read_text()
        if self.ext == "ptx":
            self.name, types = _ptx_entry(self.src)
            self.signature = dict(enumerate(types))
            return
        from weft.ir.operation_views import ModuleView

        self.module = ModuleView(parse_module(self.src, path))
        entry = self.module.get_entry_func_name()
        self.name = f"@{entry}"
        types = self.module.get_function_signature(self.module.get_function(entry))
        self.signature = dict(enumerate(types))

    def make_ir(
        self,
        target: object,
        options: object,
        codegen_fns: object,
        module_map: object,
        context: object,
    ) -> ModuleView:
        """Get the module."""
        return self.module

    def hash(self) -> str:
        """Compute a digest of the text."""
        return hashlib.sha256(self.src.encode()).hexdigest()

    def parse_options(self) -> dict[str, object]:
        """Get the options that the attributes of a TTGIR module determine."""
        attributes = {"num_warps": "ttg.num-warps", "num_ctas": "ttg.num-ctas"}
        if self.ext != "ttgir":
            return {}
        values = {name: self.module.get_int_attr(key) for name, key in attributes.items()}
        return {name: value for name, value in values.items() if value is not None}


def _ptx_entry(text: str) -> tuple[str, list[str]]:
    """Read the name of the first function of PTX, and the types of its parameters.

    Raises:
        WeftError: There is none.
    """
    match = re.search(r"\.(?:visible|extern)\s+\.(?:entry|func)\s+(\w+)\s*\(([^)]*)\)", text)
    if match is None:
        raise WeftError("PTX without a function")
    return match[1], re.findall(r"\.param\s+\.(\w+)", match[2])
