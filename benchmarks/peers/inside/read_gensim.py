"""Read a file of vectors with gensim; the second time memory-mapped, from its own format."""

from __future__ import annotations

from clock import print_row, read_job, time_run
from gensim.models import KeyedVectors

job = read_job()
if job["again"]:
    seconds, vectors = time_run(lambda: KeyedVectors.load(job["saved"], mmap="r"))
else:
    seconds, vectors = time_run(lambda: KeyedVectors.load_word2vec_format(job["vectors"]))
rows = [row.tobytes().hex() for row in vectors.vectors[::1000]]
print_row(seconds=seconds, rows=rows, words=len(vectors.vectors))
if not job["again"]:
    vectors.save(job["saved"])
