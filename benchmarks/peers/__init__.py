"""Parts of `benchmarks/peers.py`; the scripts in `inside/` run in the environments of the tools."""
