"""Facts about each chip: one folder of TOML files per chip, every row with its source.

chips/gfx942/chip.toml           what every chip has (module `chip`)
chips/gfx942/matrix_units.toml   AMD's MFMA and WMMA instructions (module `matrix_units`)
…                                a module reads the file of the same name

docs/guides/add_a_target.md shows how to add a chip.
"""

from __future__ import annotations

from weft.targets.chip import Target
from weft.targets.registry import derived_targets, known_targets, target

__all__ = ["Target", "derived_targets", "known_targets", "target"]
