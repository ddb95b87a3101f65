"""Code search: speed on the standard library, quality on what packages say of themselves."""
