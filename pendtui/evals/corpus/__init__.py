"""The generator of invented pended claims: the plan of cases, the pools of sentences, the writer, the key.

Values here are named tuples and not dataclasses: the package is part of the free path, and a frozen slotted
dataclass costs a millisecond of start-up each.
"""
