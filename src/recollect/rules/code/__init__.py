"""Source code as pieces that can be found: which files, which language, which parts of them."""
