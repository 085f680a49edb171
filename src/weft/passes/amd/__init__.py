"""Passes over IR with AMD layouts and operations."""
