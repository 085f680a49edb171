"""Passes that read TTIR: tiles without layouts."""
