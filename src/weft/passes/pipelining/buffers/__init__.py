"""Memory for several iterations, and what orders the accesses to it.

multi_buffers          one buffer in shared memory for each iteration in flight
async_copies           cp.async instead of a load
async_waits            how many commit groups a wait leaves pending
mbarriers              one mbarrier for each buffer
tma_descriptors        descriptors that a loop makes
"""
