"""Orders between launches; here one launch runs at a time, after all of those ahead of it."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, assembly

__all__: list[str] = []


@assembly(r"griddepcontrol\.(?:wait|launch_dependents);(?: // dummy \$0)?")
def _depend(call: Call) -> Step:
    """Return a step that waits for nothing; what it gives, if anything, has no meaning."""

    def step(block: Block) -> None:
        if call.result:
            block.set(call.result, np.zeros(1, np.int32))

    return step
