"""Start a compiled kernel: arguments, devices, streams, drivers.

binding.py             bind positional and keyword arguments to parameters
arrays.py              arrays as memory; array_protocols.py: DLPack, CUDA array interface
devices.py             device and stream of a launch
grid.py                number of programs along x, y, z
argument_packing.py    encode arguments for the driver
tensor_descriptor.py   tensor descriptors made on the host
global_scratch.py      global memory that a kernel needs for its own use
hooks.py               hooks before and after a launch
interception.py        hand launches to a function in place of a device
entry_launcher.py      launch IR compiled from a file, with entry_arguments.py
drivers/cpu.py         the embedded CPU device: the interpreter
drivers/cuda/          NVIDIA GPUs
drivers/hip/           AMD GPUs
"""
