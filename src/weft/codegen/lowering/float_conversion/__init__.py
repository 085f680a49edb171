"""Conversions between float types: by instructions of the chip, or by arithmetic on bits."""
