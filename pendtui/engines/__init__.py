"""The pure core: reading, rulebook, clock, gate, citation. No input or output, no clock, no screen."""
