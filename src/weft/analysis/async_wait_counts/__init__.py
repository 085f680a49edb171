"""Wait counts: how many asynchronous instructions may be outstanding after a wait.

AMD's hardware counts outstanding instructions, which complete in order: `s_wait_asynccnt 2`
waits until at most 2 are left. A kernel in the IR waits for tokens or for commit groups instead.
So the lowering of a wait has to know how many instructions are issued for certain between the
copies that it waits for and the wait: that many may be outstanding.

tokens          waits for tokens           ttg.async_wait %token
commit_groups   waits without tokens       ttg.async_wait {num = 1}
instructions    what Triton takes for the instructions of a copy

Triton computes such numbers in the pass tritonamdgpu-update-async-wait-count.
"""

from __future__ import annotations

from weft.analysis.async_wait_counts.commit_groups import (
    UNBOUNDED,
    function_contains,
    max_outstanding_for_groups,
)
from weft.analysis.async_wait_counts.instructions import CopyInstructions, tdm_instructions
from weft.analysis.async_wait_counts.tokens import max_outstanding_for_tokens

__all__ = [
    "UNBOUNDED",
    "CopyInstructions",
    "function_contains",
    "max_outstanding_for_groups",
    "max_outstanding_for_tokens",
    "tdm_instructions",
]
