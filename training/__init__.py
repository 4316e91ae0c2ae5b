"""The training of the models that the package ships (README.md). Nothing here runs at install or run time."""
