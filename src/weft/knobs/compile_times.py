"""The times of a compilation, which `knobs.compilation.listener` receives."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompileTimes"]


@dataclass(frozen=True)
class CompileTimes:
    """The times of a compilation in µs.

    Attributes:
        ir_initialization: Of the front end.
        lowering_stages: Of each stage, by name, in order.
        store_results: Of writing the cache.
    """

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        """The time of all stages."""
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        """The time of everything."""
        return self.ir_initialization + self.total_lowering + self.store_results
