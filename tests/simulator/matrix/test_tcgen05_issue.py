"""Issue of cta_group::2 instructions."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from weft.errors import CodegenError
from weft.simulator.matrix import tcgen05_issue


def test_instruction_after_the_other_block_of_the_pair_has_exited(monkeypatch):
    memory = SimpleNamespace(check_cta_group=lambda group: None)
    monkeypatch.setattr(tcgen05_issue, "tensor_memory_of", lambda block: memory)
    blocks = [SimpleNamespace(rank=rank, finished=rank == 1) for rank in range(2)]
    block = SimpleNamespace(rank=0, cluster=blocks)
    with pytest.raises(CodegenError, match="after block 1 of the pair exited"):
        tcgen05_issue.cta_pair(block, SimpleNamespace(match={"group": "2"}), 0)  # pyright: ignore[reportArgumentType]
