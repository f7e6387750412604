"""Every function that parses has a fuzz case; the functions are found in the source, not listed."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import pytest
from fuzz.targets import SEEDS, TARGETS, check, seeds

import weatherglass
from weatherglass._files.inputs import Input
from weatherglass.auditing import run_folder
from weatherglass.catalog import record_files, seed_files
from weatherglass.corpus.open import FORMATS as CORPUS_FORMATS
from weatherglass.measures import Results
from weatherglass.vectors.formats.detect import FORMATS, find_format

SOURCE = Path(weatherglass.__file__).parent
# Calls that parse bytes or text, by the end of their name.
PARSERS = (
    *("json.loads", "json.load", "jsontext.loads", "yaml.parse", "csv.reader", "csv.DictReader"),
    *("np.load", "np.memmap", "np.fromfile", "np.frombuffer", "struct.unpack", "unpack_from"),
    *("pq.read_table", "pq.read_schema", "pq.ParquetFile", "ipc.open_file", "ipc.open_stream"),
    *("h5py.File", "msgpack.unpackb", "zipfile.ZipFile", "gzip.open", "lzma.open"),
    *("ParserCreate", "torch.load", "load_file", "Tokenizer.from_file", "from_parquet"),
    *("model_validate", "validate_json", "validate_python", "read_text", "read_bytes"),
)


@functools.cache
def parsing() -> list[str]:
    """Return every function of the package that parses, as ``file:name``."""
    files = ((path, path.relative_to(SOURCE).as_posix()) for path in sorted(SOURCE.rglob("*.py")))
    return [
        function
        for path, name in files
        for function in _find_parsing(ast.parse(path.read_text()), name, "")
    ]


def _dotted_name(node: ast.AST) -> str:
    """Return a dotted name; its beginning is left out if that is not a name."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _find_parsing(tree: ast.AST, file: str, name: str) -> Iterator[str]:
    is_parsing = False
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _find_parsing(node, file, f"{name}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from _find_parsing(node, file, f"{name}{node.name}.")
        else:
            calls = (call.func for call in ast.walk(node) if isinstance(call, ast.Call))
            is_parsing |= any(_dotted_name(call).endswith(PARSERS) for call in calls)
    if is_parsing and name:
        yield f"{file}:{name.removesuffix('.').removesuffix('.<locals>')}"


# Functions that parse no input from outside, or that cannot run here, and why.
EXCUSED = {
    "the options and files are read by functions that have seeds of their own": (
        *("_cli/retrieve.py:retrieve", "_cli/trajectory.py:replace_facts"),
        "_cli/sentiment.py:sentiment",
        *("catalog/suites.py:_as_test", "seedlab/trajectory.py:_questions"),
        "_cli/crowd.py:_open_discovery",
    ),
    "reads what training wrote into its own folder": (
        *("corpus/dates.py:_read", "corpus/dates.py:_stored_words"),
        "vectors/trained.py:_read_groups",
    ),
    "reads files of this package": (
        *("_web/rendering.py:static_file", "_web/rendering.py:static_url"),
        *("catalog/seeds.py:_pairings", "catalog/seeds.py:_sets"),
        *("catalog/tests.py:_sentence_test", "catalog/tests.py:_entry"),
        *("report/page.py:style_sheet", "report/page.py:report_script"),
        *("catalog/sentences.py:plain_items", "crowd/task_page.py:_package_text"),
    ),
    "makes a record from another, in memory": (
        *("_web/ask/api.py:_result_answer",),
        *("catalog/word_sets.py:WordSet.leave_out", "auditing/run_folder.py:save_step"),
        *(
            "corpus/run_folder.py:_check_same",
            "_cli/wefat.py:wefat",
            "auditing/repeat.py:repeat_audit",
        ),
        *("encoders/sentence_cache.py:SentenceCache._write",),
    ),
    "reads what it has just written, in a folder that lasts as long as the run": (
        *("corpus/token_ids.py:open_token_ids", "corpus/token_ids.py:open_array"),
        *("corpus/permutation.py:open_pool",),
        *("vectors/store.py:_keep_rows", "_web/rendering.py:_encode_chart"),
        *("tasks/state.py:Ticket.load", "tasks/state.py:Ticket._open_arrays"),
    ),
    "reads what the kernel says about processes": (
        *("tasks/isolated.py:memory_of_tree", "_files/memory.py:address_space_left"),
    ),
    "reads pip's metadata of an installed package, which could run code as well": (
        *("_cli/doctor.py:_modules", "errors.py:_find_installation"),
    ),
    "computes checksums of bytes": ("_cli/report.py:_document",),
    "reads its own records, which have checksums, and has tests in tests/encoders": (
        "encoders/http/canaries.py:_load_known",
    ),
    "writes": (
        *(
            "vectors/formats/hdf5.py:write",
            "vectors/formats/numpy.py:write_npz",
            "_files/atomic.py:_open_compressor",
        ),
    ),
    "needs PyTorch, and has tests in tests/encoders": (
        *("encoders/model_files.py:refuse_unsafe_files", "encoders/recurrent.py:load_weights"),
        "encoders/transformers/options.py:read_prompts",
    ),
}
# Functions that need an installed package that `make test` does not need.
WITH = {
    "tokenizers": (
        *("encoders/static.py:StaticEncoder._settings", "encoders/static.py:_unknown_token"),
        *("encoders/static.py:StaticEncoder._loaded", "encoders/token_states.py:load_tokenizer"),
    )
}


@pytest.fixture(scope="module")
def entered(place: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return every function of the package that reading the seeds enters."""
    entered_code: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        entered_code.add(frame.f_code)  # returns None, so that lines are not traced

    def read_all() -> None:
        for target in TARGETS:
            for kind, content in seeds(target).items():
                check(target, kind, content, place)

    read_all()  # importing and compiling would take ten times as long when traced
    before = sys.gettrace()
    threading.settrace(note)
    sys.settrace(note)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # What the first reading left in the cache would not be parsed again.
            patch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
            read_all()
    finally:
        sys.settrace(before)
        threading.settrace(before)  # type: ignore[arg-type]
    functions = ((Path(code.co_filename), code.co_qualname) for code in entered_code)
    return {
        f"{path.relative_to(SOURCE).as_posix()}:{name}"
        for path, name in functions
        if path.is_relative_to(SOURCE)
    }


def test_every_function_that_parses_is_reached_by_a_seed(entered):
    missing = {name for name in parsing() if name not in entered}
    for names in EXCUSED.values():
        missing -= set(names)
    for package, names in WITH.items():
        if importlib.util.find_spec(package) is None:
            missing -= set(names)
    assert not missing, f"no seed in {SEEDS.name}/ reaches: {', '.join(sorted(missing))}"


def test_every_exception_in_the_inventory_is_needed():
    known = set(parsing())
    for names in (*EXCUSED.values(), *WITH.values()):
        assert set(names) <= known


def test_a_function_that_parses_is_found_by_the_inventory():
    source = "def read(path):\n    def inner():\n        return json.loads(path.read_bytes())"
    assert list(_find_parsing(ast.parse(source), "new.py", "")) == ["new.py:read.<locals>.inner"]


def test_every_format_of_vectors_has_a_seed(place):
    readers = set()
    for kind, content in seeds("vectors").items():
        if kind.split(".")[0] in ("vectors", "fasttext", "pickle"):
            (place / kind).write_bytes(content)
            (place / "vectors.words").write_bytes(seeds("vectors")["vocabulary.words"])
            readers.add(find_format(Input(place / kind)).read)
    spacy = place / "spacy"
    spacy.mkdir()
    for part in ("vectors", "key2row", "strings"):
        name = "strings.json" if part == "strings" else part
        (spacy / name).write_bytes(seeds("vectors")[f"spacy.{part}"])
    readers.add(find_format(Input(spacy)).read)
    assert readers == {form.read for form in FORMATS}


def test_every_format_of_a_corpus_has_a_seed():
    endings = {f".{kind.split('.')[1]}" for kind in seeds("corpus") if "." in kind}
    assert all(set(form.suffixes) & endings for form in CORPUS_FORMATS)


def test_every_ending_of_a_file_of_tests_or_seed_sets_has_a_seed():
    for target, readers in (("tests", record_files.READERS), ("seeds", seed_files._READERS)):
        written = {f".{kind.split('.')[1]}" for kind in seeds("catalogue") if target in kind}
        assert {suffix for suffix in readers if suffix != ".yml"} <= written


def test_every_kind_of_result_has_a_seed():
    results = Results.from_json(seeds("results")["results.json"].decode())
    assert {result.measure for result in results} >= {"weat", "wefat", "seat"}
    names = {kind.split(".")[0] for kind in seeds("results")}
    assert set(run_folder._PAYLOADS) - {"lint"} <= names  # lint results are experiments
