"""The seed lab: how far an answer depends on the seed words that were chosen."""
