"""`#ttg.linear`: the layout given outright by its basis vectors."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, encoding, vectors

__all__ = ["LinearEncoding"]

Vectors = tuple[tuple[int, ...], ...]


@encoding
class LinearEncoding(Encoding):
    """Say outright where each bit of register, lane, warp and block number goes.

    Fields: register, lane, warp, block: one basis vector per bit, lowest first.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "linear"
    alias: ClassVar[str | None] = "linear"

    register: Vectors = vectors("register")
    lane: Vectors = vectors("lane")
    warp: Vectors = vectors("warp")
    block: Vectors = vectors("block")

    def _check(self) -> None:
        groups = {key: getattr(self, key) for key in ("register", "lane", "warp", "block")}
        if not any(groups.values()):
            raise self.error("needs at least one basis vector", found="no vectors")
        checks.covers(self, groups, self.rank)

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        vector = next(v for key in (self.register, self.lane, self.warp, self.block) for v in key)
        return len(vector)
