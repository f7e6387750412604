"""What `benchmarks/peers.py` is made of; `inside/` runs in the environments of the peers."""
