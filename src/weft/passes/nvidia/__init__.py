"""Passes over IR with layouts that only NVIDIA's chips need."""
