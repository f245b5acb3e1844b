"""The same program in a browser, by textual-serve. Imported by `pendtui serve` alone."""
