"""Registers that unfinished wgmma instructions write."""

from __future__ import annotations

from weft.simulator.matrix.pending_registers import PendingRegisters, Wgmma


def test_a_moved_value_is_pending_on_the_same_instruction():
    registers, wgmma = PendingRegisters(), Wgmma(0)
    registers.begin("%p", 2, wgmma)
    registers.define("%a", {0}, registers.writers("%p#1"))
    assert registers.is_pending("%a", {0})
    assert not registers.is_pending("%a", {1})
    assert not registers.is_pending("%b", {0})


def test_a_definition_ends_the_dependence():
    registers = PendingRegisters()
    registers.begin("%p", 1, Wgmma(0))
    registers.begin("%p", 1, Wgmma(1))
    registers.define("%p#0", {0})
    assert not registers.is_pending("%p#0", {0})
    assert registers.is_pending("%p#0", {1})
    registers.define("%p#0", {1})
    assert not registers
