"""One reading of a file of vectors by gensim; again, from what it saved itself, memory-mapped."""

from __future__ import annotations

from clock import job, say, timed
from gensim.models import KeyedVectors

todo = job()
if todo["again"]:
    seconds, vectors = timed(lambda: KeyedVectors.load(todo["saved"], mmap="r"))
else:
    seconds, vectors = timed(lambda: KeyedVectors.load_word2vec_format(todo["vectors"]))
rows = [row.tobytes().hex() for row in vectors.vectors[::1000]]
say(seconds=seconds, rows=rows, words=len(vectors.vectors))
if not todo["again"]:
    vectors.save(todo["saved"])
