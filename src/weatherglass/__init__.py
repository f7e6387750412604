"""Weatherglass reads the social bias in word and sentence embeddings and says how sure it is."""
