"""NVIDIA GPUs, through the CUDA driver API.

driver.py       load modules, query attributes, record events
launcher.py     cuLaunchKernelEx with a prepared argument buffer
tensor_map.py   tensor maps for TMA
"""
