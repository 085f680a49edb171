"""Find the torch storage that an address points into.

A kernel may load pointers from memory, as in grouped matrix products:

    addresses = torch.tensor([x.data_ptr(), y.data_ptr()])     # x and y are not arguments
    storage_at(x.data_ptr())                                   # the bytes of x's storage

The embedded CPU device checks every access against an array, so it must find these, too.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["storage_at"]


def storage_at(address: int) -> np.ndarray | None:
    """Find the storage of a live torch tensor in host memory that contains an address.

    Returns:
        Its bytes; None if there is none. No other library lists its arrays.
    """
    import numpy as np

    tensor_class = getattr(sys.modules.get("torch"), "Tensor", None)
    if tensor_class is None:
        return None
    for each in gc.get_objects():
        if not issubclass(type(each), tensor_class) or each.device.type != "cpu":
            continue
        storage = each.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        if start <= address < start + size:
            return np.frombuffer((ctypes.c_char * size).from_address(start), np.uint8)
    return None
