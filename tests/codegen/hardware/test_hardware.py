"""Capabilities that a chip does not have."""

from __future__ import annotations

import pytest

from weft.codegen.hardware import hardware_of
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError, UnknownTargetError
from weft.targets import target


def test_target_without_code_generation():
    with pytest.raises(UnknownTargetError, match="no machine code for back end cpu"):
        hardware_of(target("cpu"))


def test_amd_has_no_distributed_shared_memory():
    memory = hardware_of(target("hip:gfx942")).memory
    with pytest.raises(CodegenError, match=r"hip:gfx942 has no distributed shared memory"):
        memory.remote_address(Writer(), "%address", "%cta")
    with pytest.raises(CodegenError, match=r"hip:gfx942 has no distributed shared memory"):
        assert memory.remote_space
