"""Reading whatever comes: targets for fuzzing, with seeds, run by `make fuzz` and by the tests."""
