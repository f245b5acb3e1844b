"""What is built and measured beside the desk: the invented claims, the gate over their key, the scorer."""
