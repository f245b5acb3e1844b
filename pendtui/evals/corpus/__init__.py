"""The generator of invented pended claims: the plan of cases, the pools of sentences, the writer, the key."""
