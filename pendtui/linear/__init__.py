"""The desk as lines and prompts, for screen readers, dumb terminals and scripts. No Textual in here."""
