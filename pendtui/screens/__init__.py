"""The examiner's screens. They show values and pass on decisions; no screen computes an answer."""
