"""The drivers of GPUs, each loaded when an array of its device is first passed to a kernel."""
