"""Studies of calibration: each module measures levels or coverage; `benchmarks/calibration.py`
runs them."""
