"""The machinery that passes share: a greedy driver, side effects, constants, regions.

Nothing here is a pass. A pass brings patterns; `greedy.apply` runs them to a fixed point.
"""
