"""Reads IR and the ledger of decisions, and says what is there; never re-derives it.

inventory.py   the layouts of a TTGIR module and its conversions between them, as data
tables.py      the same as tables for a terminal
"""
