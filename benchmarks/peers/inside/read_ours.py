"""One reading of a file of vectors by Weatherglass; run again, it finds its cache."""

from __future__ import annotations

import os
import tempfile

from clock import job, say, timed

from weatherglass import open_vectors  # loaded before the clock starts, as gensim is

todo = job()
if not todo["again"]:
    # The compiled code is loaded before the clock starts; a second reading needs none of it.
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.txt")
        with open(small, "w", encoding="utf-8") as file:
            file.write("2 2\na 0.5 1\nb 1.5 1\n")
        open_vectors(small)
seconds, vectors = timed(lambda: open_vectors(todo["vectors"]))
rows = [row.tobytes().hex() for row in vectors.matrix[::1000]]
say(seconds=seconds, rows=rows, words=len(vectors))
