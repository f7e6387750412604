"""What the documentation is made with: the two references, and formulas in pages."""
