"""Passes over TTGIR that pipeline loops."""
