"""Barriers and fences, and the detection of races in shared memory."""
