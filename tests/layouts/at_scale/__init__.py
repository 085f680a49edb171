"""Layouts beside Triton's own, at scale.

encodings   an encoding and a shape of every kind, the same ones for the same number
vectors     layouts of random vectors, and every operation that Triton's binding has
asking      Triton's answers to thousands of questions, in a process that may end over one
digests     the answers of a tenth of them, written down, so that no wheel is needed to compare
"""
