"""The world outside the engines: queue folder and index, journal, runs."""
