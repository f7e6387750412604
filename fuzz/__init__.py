"""Fuzz targets for everything that reads input, with seeds; run by `make fuzz` and by the tests."""
