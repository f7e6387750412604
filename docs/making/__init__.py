"""Tools that build the documentation: the two reference pages, and formulas in pages."""
