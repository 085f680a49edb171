"""What weft knows of each chip: one file of facts per chip, every fact with its source."""

from __future__ import annotations

from weft.targets.facts import Target
from weft.targets.registry import alike, known, target

__all__ = ["Target", "alike", "known", "target"]
