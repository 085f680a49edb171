"""Layouts from the text of a kernel's signature, in which they are written as in Python.

tensordesc<fp16[64, 32],NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16, …)>
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from weft.errors import LayoutError, SignatureError, did_you_mean
from weft.gluon.layouts.base import Layout
from weft.gluon.layouts.shared import (
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLinearLayout,
    SwizzledSharedLayout,
)

__all__ = ["parse_layout"]

_CLASSES: Mapping[str, type[Layout]] = {
    cls.__name__: cls
    for cls in (NVMMASharedLayout, PaddedSharedLayout, SharedLinearLayout, SwizzledSharedLayout)
}


def parse_layout(text: str) -> Layout:
    """Parse the text of a layout in shared memory.

    Raises:
        SignatureError: It is none.
        LayoutError: The fields break a rule of the layout.
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise SignatureError(
            "expected the layout of a block in shared memory",
            found=text or "none",
            accepted=[f"{name}(…)" for name in _CLASSES],
        )
    cls = _CLASSES.get(call.func.id)
    if cls is None:
        name = call.func.id
        raise SignatureError(
            "unknown layout", found=name, accepted=_CLASSES, hint=did_you_mean(name, _CLASSES)
        )
    try:
        args = [ast.literal_eval(each) for each in call.args]
        kwargs = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
        return cls(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise LayoutError(f"{call.func.id}: {error}", found=text) from None
