"""Write the layout of the bundled embedding by neighbourhoods, which is part of the package.

    python scripts/write_layout.py

It needs umap-learn (the extra `map`) and takes about three minutes. The file has the fingerprint of
the embedding and a checksum of its words: if either changes, the Map ignores the file, a test
fails, and this script must be run again.
"""

from __future__ import annotations

from pathlib import Path

from weatherglass import open_vectors
from weatherglass._web.map import neighbourhoods
from weatherglass._web.map.projection import frequent_positions


def main() -> None:
    """Compute the layout and write it into the source folder of the package."""
    vectors = open_vectors("default")
    positions = frequent_positions(vectors)
    encoded = neighbourhoods.place_neighbours(vectors, positions)
    path = Path(neighbourhoods.__file__).with_name(neighbourhoods.SHIPPED)
    neighbourhoods.write_layout(path, vectors, positions, encoded)
    print(f"{path.name}: {len(positions):,} words, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
