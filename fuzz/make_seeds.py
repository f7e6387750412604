"""Write the seeds: a small valid file for every kind of input. Run: python -m fuzz.make_seeds.

It needs the extra ``static`` in addition to ``dev``. The same versions of all packages give the
same bytes. The name of a seed says what it is, and its ending selects the reader; its folder is the
target that reads it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import lzma
import struct
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import weatherglass as wg
from weatherglass._web.map.neighbourhoods import write_layout
from weatherglass._web.map.projection import encode_coordinates
from weatherglass.encoders.sentence_cache import SentenceCache, sentence_key
from weatherglass.seedlab.result import experiments_json
from weatherglass.vectors.formats.detect import format_for_writing

from .bombs import hide_sizes

SEEDS = Path(__file__).parent / "seeds"
WORDS = "rose lily wasp gnat kind good foul bad".split()  # noqa: SIM905
TEI = (
    "<TEI><teiHeader><fileDesc><titleStmt><title>A day</title><author>A. Author</author>"
    "</titleStmt></fileDesc></teiHeader><text><body><p>One warm day.</p><p>A cold night.</p>"
    "</body></text></TEI>"
)


def vectors() -> wg.Vectors:
    """Eight words in three dimensions, the same in every run."""
    rows = [[np.sin(3 * i + j) for j in range(3)] for i in range(len(WORDS))]
    return wg.Vectors.of(WORDS, np.array(rows, dtype=np.float32))


def vector_files(folder: Path) -> dict[str, bytes]:
    """Every format of vectors, and each file of formats that are folders."""
    files = {}
    for ending in ("txt", "vec", "bin", "npy", "npz", "safetensors", "parquet", "arrow", "h5"):
        path = folder / f"v.{ending}"
        write = format_for_writing(path).write
        assert write is not None
        write(vectors(), path)
        files[f"vectors.{ending}"] = path.read_bytes()
    text = files["vectors.txt"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("v.txt"), text)
    head = struct.pack("<2i12id", 793712314, 12, 2, 5, 5, 1, 5, 1, 1, 2, 3, 3, 6, 100, 1e-4)
    entries = b"".join(word + b"\0" + struct.pack("<qb", 7, 0) for word in (b"rose", b"wasp"))
    fasttext = head + struct.pack("<3i2q", 2, 2, 0, 9, -1) + entries
    fasttext += struct.pack("<?2q", False, 5, 2) + np.arange(10, dtype="<f4").tobytes()
    rows = io.BytesIO()
    np.save(rows, np.arange(9, dtype=np.float32).reshape(3, 3))
    keys = b"\x82\xcf" + struct.pack(">Q", 8566208034543834098) + b"\x01\x02\x00"
    return files | {
        "packed.txt.gz": gzip.compress(text, mtime=0),
        "packed.txt.xz": lzma.compress(text),
        "packed.txt.zst": _zstd(text),
        "packed.zip": packed.getvalue(),
        "fasttext.bin": fasttext,
        "pickle.kv": b"\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00}\x94.",
        "vocabulary.words": "\n".join(WORDS).encode(),
        "vocabulary.json": json.dumps({word: i for i, word in enumerate(WORDS)}).encode(),
        "tokenizer.json": json.dumps(
            {"model": {"type": "Unigram", "vocab": [[word, -1.0] for word in WORDS]}}
        ).encode(),
        **_tables(folder),
        "header.gguf": b"GGUF" + struct.pack("<I2Q", 3, 1, 1) + bytes(40),
        "spacy.vectors": rows.getvalue(),
        "spacy.key2row": keys,
        "spacy.strings": b'["", "apple", "coffee"]',
    }


def _tables(folder: Path) -> dict[str, bytes]:
    """Containers with more in them than words and vectors: other columns, links, dictionaries."""
    import h5py
    import pyarrow as pa
    import pyarrow.parquet as pq

    words, numbers = WORDS[:3], [0.5, 1.5, 2.5]
    mixed = {"id": [3, 2, 1], "word": words, "d0": numbers, "d1": numbers, "freq": [9, 5, 1]}
    pq.write_table(pa.table(mixed | {"__index_level_0__": [7, 8, 9]}), folder / "mixed.parquet")
    lists = {"pos": ["n"] * 3, "word": pa.array(words).dictionary_encode()}
    table = pa.table(lists | {"tokens": [[1, 2]] * 3, "vector": [[0.5, 1.5]] * 3})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(folder / "mixed.arrow"), table.schema, options=options) as writer:
        writer.write_table(table)
    with h5py.File(folder / "linked.h5", "w") as file:
        file["rose"] = np.ones(3, np.float32)
        file["wasp"] = h5py.ExternalLink("absent.h5", "/wasp")
        file.create_dataset("lily", (3,), "f4", external=[("absent", 0, 12)])
    with h5py.File(folder / "chunked.h5", "w") as file:
        for word in words:
            file.create_dataset(word, data=np.ones(3, np.float32), chunks=(3,), compression="gzip")
    pq.write_table(pa.table({"word": words, "vector": [numbers] * 3}), folder / "hidden.parquet")
    hide_sizes(folder / "hidden.parquet")
    names = ("mixed.parquet", "hidden.parquet", "mixed.arrow", "linked.h5", "chunked.h5")
    return {name: (folder / name).read_bytes() for name in names}


def corpus_files(folder: Path) -> dict[str, bytes]:
    """Every corpus format."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": ["one two", "three"], "n": [1, 2]}), folder / "t.parquet")
    return {
        "plain.txt": "One warm day.\n\nA cold night; naïve.".encode(),
        "table.csv": b'text,year\n"one ""two""",1990\nthree,2000\n',
        "table.tsv": b"text\tyear\none two\t1990\n",
        "lines.jsonl": b'{"text": "one two", "n": 1, "t": [1]}\n{"text": "three", "b": true}\n',
        "table.parquet": (folder / "t.parquet").read_bytes(),
        "book.xml": TEI.encode(),
        "unnamed": b"\xef\xbb\xbf" + TEI.encode(),
        "packed.txt.gz": gzip.compress(b"one two\n", mtime=0),
        "packed.xml.xz": lzma.compress(TEI.encode()),
        "wide.txt": "One warm day.".encode("utf-16"),
    }


def catalogue_files(folder: Path) -> dict[str, bytes]:
    """Every file that users can write for the catalogue."""
    sets = {"x": WORDS[:2], "y": WORDS[2:4], "a": WORDS[4:6], "b": WORDS[6:]}
    published = {
        "targ1": {"category": "Flowers", "examples": WORDS[:2]},
        "targ2": {"category": "Insects", "examples": WORDS[2:4]},
        "attr1": {"category": "Kind", "examples": WORDS[4:6]},
        "attr2": {"category": "Foul", "examples": WORDS[6:]},
    }
    texts = {
        "tests.yaml": """tests:
  mine:
    title: Flowers
    x: {label: Flowers, words: [rose, {word: lily, kind: noun, plural: lilies}]}
    y: [wasp, gnat]
    a: [no, on]
    b: [foul, null]
    study: {authors: [A. Author], year: 2020, title: A title}
    published: [{source: glove, effect: 1.5, p: < 1e-3, n_targets: 2, n_attributes: 2}]
  facts:
    targets: [rose, wasp]
    a: [kind, good]
    b: [foul, bad]
    facts: {name: Share, unit: "%", values: [1.5, 20]}
""",
        "tests.json": json.dumps(sets),
        "tests.jsonl": json.dumps(published) + "\n" + json.dumps({"id": "two", **sets}),
        "factual.yaml": "{targets: [rose, wasp], a: [kind], b: [foul], facts: {file: facts.csv}}",
        "seeds.yaml": "seeds:\n- {id: one, concept: flowers, words: [rose, lily, rose]}\n",
        "seeds.yml": "{agree: [yes, on], refuse: [no, off]}",
        "seeds.json": '{"one": ["rose"], "two": {"words": ["wasp"], "concept": "insects"}}',
        "seeds.csv": "word,set,concept\nrose,one,flowers\nwasp,two,insects\n",
        "seeds.tsv": "word\tset\nrose\tone\n",
        "seeds.txt": "rose\nlily\n",
        "suite.yaml": """id: mine
title: Mine
steps:
- {run: weat, title: Tests, tests: [weat6], options: {control: none}}
- {run: measure, title: More, measures: [rnd], sets: {X: male_1-Caliskan_et_al_2017}}
""",
        "policy.yaml": """rules:
- {id: a, tests: [weat6], effect: 0.5, p: 0.05, agreement: 0.9, family: [weat7], correction: bh}
- {tests: [weat7], increase: 0.2, judge: interval}
- {measure: rnd, options: {unit: true}, above: 0.1, below: 0,
   sets: {X: [rose], A: male_1-Caliskan_et_al_2017, B: [wasp]}}
- {discovery: {rotations: 200}, cells: 3}
controls: {tests: [weat1], effect: 0.3, duplicates: 0.2, alike: 0.9}
baseline: before
waivers: [{rule: a, test: "weat*", source: "*", reason: agreed, until: 2026-01-01}]
not_run: warn
""",
        "sources.yaml": "- default\n- {source: default, name: again, year: 1990, share: 0.5}\n",
        "axis.yaml": "title: Age\npairs: [[old, young]]\nequal: [[aged, youthful]]\n"
        "specific: [infant]\n",
        "templates.yaml": (
            Path(wg.__file__).parent / "catalog" / "data" / "templates.yaml"
        ).read_text(encoding="utf-8"),
        "names.txt": "# names\nAmy\nJoan\nMaria de la Cruz\n",
        "names.csv": "name,births,race,spellings\nAmy,10,a,Aimy|Ami\nJoan,NA,b,\n",
        "names.tsv": "name\tyear\nAmy\t1990\n",
        "facts.csv": 'word,value\nrose,1.5\n"wasp",2e3\n',
        "facts.tsv": "word\tvalue\nrose\t1.5\n",
        "words.csv": "word,kind,plural\nrose,noun,roses\nkind,adjective,\n",
        "wordlist.txt": "rose\nlily\n",
        "norms.csv": "word,rating,sd\nrose,8.5,1.2\narm (limb),5,1\narm (weapon),2,2\n",
        "norms.tsv": "word\trating\nrose\t8.5\nwasp\t2\n",
        "pairs.txt": "# antonyms\nman,woman\nhe\tshe\n",
        "table.csv": "target,attribute,value\nrose,kind,1.5\nrose,kind,2\nwasp,foul,1\n",
        "table.tsv": "word\tkind\tfoul\nrose\t1.5\t0\nwasp\t0\t-1e3\n",
        "translations.csv": "language,occupation,sentence,translation\ntr,nurse,x,She is.\n",
        "answer.json": '{"translations": [{"text": "He is a doctor."}]}',
    }
    return {name: text.encode() for name, text in texts.items()}


def result_files(folder: Path) -> dict[str, bytes]:
    """Every file that stores results."""
    from weatherglass.corpus import train
    from weatherglass.discovery import result as found
    from weatherglass.significance import PValue

    source = "v.txt"
    write = format_for_writing(Path(source)).write
    assert write is not None
    write(vectors(), Path(source))
    mine = wg.Test(id="mine", x=WORDS[:2], y=WORDS[2:4], a=WORDS[4:6], b=WORDS[6:])
    facts = {"name": "Share", "values": [1, 2, 3, 5]}
    world = wg.FactualTest(id="world", targets=WORDS[:4], a=WORDS[4:6], b=WORDS[6:], facts=facts)
    opened = wg.open_vectors(source)
    measured: list[Any] = [wg.weat(opened, mine, influence=True), wg.wefat(opened, world)]
    sets = {"X": WORDS[:2], "A": WORDS[4:6], "B": WORDS[6:]}
    measured += [wg.measure(opened, "rnd", sets), wg.weat(opened, wg.test("weat6"))]
    measured += list(wg.seat(wg.open_encoder(f"cbow:{source}"), mine))
    results = wg.Results.of(measured).correct()
    results.to_parquet(folder / "r.parquet")
    p = PValue(0.01, 0.01, 0.02, "rotation", "greater")
    discovery = found.Discovery(
        groups=(found.Group("g1", ("Amy",), 2, ("Amy", "Joan"), {"births": 1.5}),),
        categories=(found.Category("c1", "flowers", 2),),
        cells=(found.Cell("g1", "c1", ("rose",), 0.5, p, True),),
        order=("c1",),
        alpha=0.05,
        threshold=0.01,
        control=wg.Control("none", 0.1, 0.1),
        rotations=found.Rotations(100, 100),
        indirect=found.Indirect(0, None),
        source={"name": "v.txt"},
    )
    discovery.to_parquet(folder / "d.parquet")
    compared = found.Comparison(
        before=discovery,
        after=discovery,
        changes=(found.Change("stays", discovery.cells[0], discovery.cells[0]),),
    )
    others = wg.SeedSet(id="others", words=("lily", "rose", "kind"))
    many = wg.multiverse(opened, mine, samples=1, own={"X": [others]})
    many.to_parquet(folder / "m.parquet")
    lint = wg.lint([wg.SeedSet(id="one", words=tuple(WORDS[:3]))], source=opened)
    suite = Path("suite.yaml")
    suite.write_text(
        "id: two\ntitle: Two\nsteps:\n- {run: weat, title: Tests, tests: [weat6, weat7]}\n"
    )
    wg.audit({"source": source, "name": "v", "year": 1990}, out=folder / "run", suite=suite)
    run = json.loads((folder / "run" / "run.json").read_text())
    run |= {"machine": {}, "started": "2026-01-01T00:00:00+00:00", "seconds": 0.0}
    run["steps"][0]["seconds"] = 0.0
    step = next((folder / "run" / "steps").iterdir())
    texts = ["the sea was calm and the sky was clear"] * 5 + ["the sea was high"] * 5
    train(texts, folder / "models", method="ppmi-svd", dim=2, bootstrap=1, workers=1)
    return {
        "results.json": results.to_json().encode(),
        "results.tsv": results.to_delimited(record=True).encode(),
        "seat.tsv": b"\t".join(
            [
                b"model",
                b"options",
                b"test",
                b"p_value",
                b"effect_size",
                b"num_targ1",
                b"num_targ2",
                b"num_attr1",
                b"num_attr2",
            ]
        )
        + b"\nbert\tversion=large\tweat1\t1e-05\t1.25\t25\t25\t25\t25\n",
        "results.csv": results.to_delimited(",", record=True).encode(),
        "results.parquet": (folder / "r.parquet").read_bytes(),
        "discovery.json": discovery.to_json().encode(),
        "discovery.parquet": (folder / "d.parquet").read_bytes(),
        "comparison.json": compared.to_json().encode(),
        "multiverse.json": many.to_json().encode(),
        "multiverse.parquet": (folder / "m.parquet").read_bytes(),
        "experiments.json": experiments_json([lint]).encode(),
        "run.json": json.dumps(run).encode(),
        "step.json": step.read_bytes(),
        "audit.parquet": (folder / "run" / "results.parquet").read_bytes(),
        "train.json": (folder / "models" / "train.json").read_bytes(),
        "model.parquet": (folder / "models" / "full.parquet").read_bytes(),
    }


def crowd_files(folder: Path) -> dict[str, bytes]:
    """A crowd study of a small discovery, and answers as pages and other tools write them."""
    from weatherglass.discovery import result as found

    p = wg.PValue(0.01, 0.005, 0.02, "rotation")
    names = {f"g{k}": tuple(f"n{k}{letter}" for letter in "abcdef") for k in range(3)}
    discovery = wg.Discovery(
        groups=tuple(found.Group(id, shown[:2], 6, shown) for id, shown in names.items()),
        categories=(found.Category("c1", "flowers", 9),),
        cells=tuple(found.Cell(id, "c1", (f"w{id}",), 0.5, p, True) for id in names),
        order=("c1",),
        alpha=0.05,
        threshold=0.01,
        control=wg.Control("none", 0.1, 0.1),
        rotations=found.Rotations(100, 100),
        indirect=found.Indirect(0, None),
        source={"name": "v.txt"},
    )
    study = wg.export_crowd_study(discovery, names=1)
    answers = wg.simulate_crowd(study, {"perfect": 1, "good": 2})
    rows = [(s.worker, item, answer) for s in answers for item, answer in s.answers.items()]
    annotated = [
        {
            "data": {"item": item},
            "annotations": [
                {
                    "completed_by": {"email": worker},
                    "lead_time": 2.5,
                    "result": [{"value": {"choices": [answer]}}],
                }
            ],
        }
        for worker, item, answer in rows
    ]
    items = list(dict.fromkeys(item for _, item, _ in rows))
    wide = {worker: {i: a for w, i, a in rows if w == worker} for worker, _, _ in rows}
    lines = [f"worker\tseconds\t{chr(9).join(items)}"]
    lines += [f"{w}\t90\t{chr(9).join(given[i] for i in items)}" for w, given in wide.items()]
    return {
        "study.json": study.to_json().encode(),
        "answers.jsonl": "".join(f"{s.to_json()}\n" for s in answers).encode(),
        "long.csv": "\n".join(map(",".join, [("worker", "item", "answer"), *rows])).encode(),
        "wide.tsv": "\n".join(lines).encode(),
        "labelled.json": json.dumps(annotated).encode(),
        "consent.txt": b"Do you agree?\n\nThank you.\n",
    }


def cache_files(folder: Path) -> dict[str, bytes]:
    """Files of the caches: parsed vectors, encodings, and finished tasks."""
    import os

    os.environ["WEATHERGLASS_CACHE_DIR"] = str(folder / "cache")
    source = Path("v.txt")
    source.write_text("rose 1 2\nwasp 3 4\nrose 5 6\n")
    wg.open_vectors(source)
    (entry,) = (folder / "cache" / "vectors").iterdir()
    files = {f"store-{file.name}": file.read_bytes() for file in entry.iterdir()}
    files.pop("store-seen.json")  # depends on this disk; the target writes its own
    shard = io.BytesIO()
    keys = np.frombuffer(sentence_key("This is Amy."), dtype=np.uint8).reshape(1, -1)
    np.savez(shard, keys=keys, rows=np.ones((1, 2), dtype=np.float32))
    about = SentenceCache("f", "e")._manifest
    layout, source = folder / "layout.json", vectors()
    positions = np.arange(len(source.words))
    coordinates = encode_coordinates(np.asarray(source.matrix)[:, :2])
    write_layout(layout, source, positions, coordinates)
    return files | {
        "seen.json": b'{"files": [["v.txt", 1, 2, 3, 4]], "block": 1, "fingerprint": "f"}',
        "encodings.npz": shard.getvalue(),
        "encodings.json": json.dumps(about).encode(),
        "layout.json": layout.read_bytes(),
        "tasks.jsonl": b'\n{"task":0,"result":1.5}\n\n{"task":1,"result":2}\n',
    }


def encoder_files(folder: Path) -> dict[str, bytes]:
    """Files of a model other than its network: options, vocabularies, a table of tokens."""
    import h5py
    from safetensors.numpy import save

    options = {
        "char_cnn": {"max_characters_per_token": 50, "activation": "relu"},
        "lstm": {"cell_clip": 3, "proj_clip": 3, "use_skip_connections": True},
    }
    with h5py.File(folder / "w.hdf5", "w") as file:
        file.create_dataset("CNN/W_cnn_0", data=np.ones((2, 3), dtype=np.float32))
    with h5py.File(folder / "l.hdf5", "w") as file:
        file["CNN/W_cnn_0"] = h5py.ExternalLink("w.hdf5", "/CNN/W_cnn_0")
    tokens = {"[UNK]": 0, "rose": 1, "wasp": 2}
    modules = [{"idx": 0, "name": "0", "path": "", "type": "Transformer"}, {"path": "1_Pooling"}]
    # A graph with one tensor, which says where its numbers are: key and value of `external_data`.
    graph = b"\x0a\x08location\x12\x05w.bin"
    for field in (13, 5, 7):
        graph = bytes([field << 3 | 2, len(graph)]) + graph
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": tokens, "unk_token": "[UNK]"},
    }
    return {
        "elmo.json": json.dumps(options).encode(),
        "elmo.hdf5": (folder / "w.hdf5").read_bytes(),
        "elmo-linked.hdf5": (folder / "l.hdf5").read_bytes(),
        "modules.json": json.dumps(modules).encode(),
        "model.onnx": graph,
        "gensen.json": json.dumps({"word2id": tokens}).encode(),
        "gensen.txt": "\n".join(tokens).encode(),
        "config.json": b'{"normalize": true, "max_length": 16}',
        "tokenizer.json": json.dumps(tokenizer).encode(),
        "model.safetensors": save({"embeddings": np.eye(3, dtype=np.float32)}),
    }


def container_files(folder: Path) -> dict[str, bytes]:
    """Choices for containers; see `containers`."""
    random = Random(0)
    kinds = {"linked": 16, "columns": 16, "sizes": 5, "flipped": 4}
    return {f"{kind}.choices": random.randbytes(length) for kind, length in kinds.items()}


def input_files(folder: Path) -> dict[str, bytes]:
    """Text that users type, and the answer of an embedding endpoint."""
    rows = [{"index": i, "embedding": [0.5, float(i)]} for i in range(2)]
    return {
        "endpoint.json": json.dumps({"object": "list", "data": rows}).encode(),
        "query.sql": b"SELECT test, count(*) AS n FROM results GROUP BY test",
        "source.spec": b"v.txt",
        "encoder.spec": b"http:http://127.0.0.1:8080/v1?model=m&dimensions=2",
        "set.typed": b'rose, "New York"; @weat9.A lily',
        "name.upload": b"../../words.vec.gz",
        "text.tokens": "My mother’s drawing-room isn't cold, naïve नमस्ते.".encode(),
    }


def _zstd(content: bytes) -> bytes:
    import pyarrow as pa

    compressed: bytes = pa.Codec("zstd").compress(content, asbytes=True)
    return compressed


MAKERS = {
    "vectors": vector_files,
    "corpus": corpus_files,
    "catalogue": catalogue_files,
    "results": result_files,
    "cache": cache_files,
    "encoders": encoder_files,
    "input": input_files,
    "containers": container_files,
    "crowd": crowd_files,
}


def main() -> None:
    """Write all seeds."""
    for target, make in MAKERS.items():
        # Inside the folder, so that no seed contains the path of a temporary folder.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            files = make(Path(folder))
        target_folder = SEEDS / target
        target_folder.mkdir(parents=True, exist_ok=True)
        for path in target_folder.iterdir():
            path.unlink()
        for name, content in files.items():
            (target_folder / name).write_bytes(content)
            print(f"{len(content):8,} {target}/{name}")


if __name__ == "__main__":
    main()
