"""Training of the shipped cross-encoders (see README.md). Nothing here runs at install or run time."""
