"""Passes over IR with layouts that every chip shares."""
