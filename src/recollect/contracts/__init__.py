"""The public tool contracts: tables from parameters to ops, and from answers to wire shapes."""
