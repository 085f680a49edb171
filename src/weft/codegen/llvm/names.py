"""Names in LLVM IR text."""

from __future__ import annotations

import re

__all__ = ["global_name"]

_PLAIN_NAME = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")


def global_name(symbol: str) -> str:
    """Format the name of a global: `@f`, or `@"f<i32>"` where it has other characters.

    Source: LLVM Language Reference, "Identifiers".
    """
    return f"@{symbol}" if _PLAIN_NAME.fullmatch(symbol) else f'@"{symbol}"'
