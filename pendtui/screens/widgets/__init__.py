"""Parts that more than one screen shows, or that are large enough to stand alone."""
