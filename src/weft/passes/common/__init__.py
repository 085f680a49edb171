"""Passes over TTIR and TTGIR alike."""
