"""AMD GPUs, through the HIP runtime (libamdhip64). Not run on hardware: tested with a fake library.

library.py     find libamdhip64 and declare its functions
driver.py      load modules, query attributes, record events
launcher.py    hipModuleLaunchKernel on packed arguments
"""
