"""Ctrl-C, SIGTERM and SIGHUP at any moment: a sentence, an exit code, and no finished work lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from weatherglass._cli.signals import SENTENCE

from .conftest import Place
from .writers import TRAINING, Line

LINES = (
    Line("--help"),
    Line("catalog list"),
    Line("weat {vectors} --test weat6 -o r.txt"),
    Line("vectors info {vectors}"),
    Line("vectors convert {vectors} v.npy"),
    Line(f"train {{corpus}} -o m --min-count 1 {' '.join(TRAINING)}".replace("--workers 1", "")),
    Line("train {corpus} -o n --min-count 1 --method ppmi-svd --dim 4 --bootstrap 3 --workers 2"),
    Line("seat cbow:{vectors} --test sent-weat6"),
    Line("discover {vectors} --groups 4 --categories 6 --words 800 --rotations 20000 --resume"),
    Line("audit {vectors} --suite {suite} -o run --resume"),
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start(place: Place, line: Line) -> subprocess.Popen[str]:
    """Start a command as a terminal does, in its own process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "weatherglass", *line.filled(place.given)],
        cwd=place.out,
        env=os.environ | {"WEATHERGLASS_CACHE_DIR": str(place.cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_restore_handlers,
    )


def _restore_handlers() -> None:
    """Undo what a shell does in the background: it lets its children ignore Ctrl-C."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def stop(place: Place, line: Line, delay: float, number: signal.Signals) -> int:
    """Interrupt a command after some seconds, check what it prints, and return its exit code."""
    process = start(place, line)
    time.sleep(delay)
    os.killpg(process.pid, number)  # not waited for yet, so its process id is still its own
    _, stderr = process.communicate(timeout=120)
    code = process.returncode
    if is_python_itself(stderr, code, number):
        return 0
    assert "Traceback" not in stderr, stderr
    assert "ignored" not in stderr, stderr
    assert code in (0, 128 + number), stderr
    if code:
        assert SENTENCE in stderr
    return code


def python(code: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run code in its own process, where it can be interrupted."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def is_python_itself(stderr: str, code: int, number: signal.Signals) -> bool:
    """Return whether the signal came while Python itself was starting or ending.

    While it starts it may print a traceback, lose the signal, or not find modules; when it ends it
    removes our handlers.
    """
    if SENTENCE in stderr or "weatherglass/_cli" in stderr:
        return False
    if "KeyboardInterrupt" in stderr or "No module named weatherglass" in stderr:
        return True
    return (code == -number and "Traceback" not in stderr) or (code == 128 + number and not stderr)


def finished(place: Place) -> dict[str, int]:
    """Return the files of finished work, which must stay: models, steps, parsed files."""
    paths = [
        *place.out.glob("[mn]/*.parquet"),
        *place.out.glob("run/steps/*.json"),
        *place.cache.glob("vectors/*/meta.json"),
    ]
    return {str(path): path.stat().st_ino for path in paths if "/." not in str(path)}


def stop_often(place: Place, times: int, seed: int) -> None:
    rng = random.Random(seed)
    codes = []
    for turn in range(times):
        line = LINES[turn % len(LINES)]
        number = SIGNALS[0] if turn % 4 else rng.choice(SIGNALS)
        before = finished(place)
        codes.append(stop(place, line, rng.uniform(0.0, 1.4), number))
        after = finished(place)
        assert {name: after.get(name) for name in before} == before
    assert sum(code > 128 for code in codes) >= times // 4


def test_an_interrupted_command_prints_a_sentence(place: Place) -> None:
    """Two times; the slow test has a hundred."""
    assert stop(place, LINES[2], 0.3, signal.SIGINT) in (0, 130)
    assert stop(place, LINES[1], 0.07, signal.SIGTERM) in (0, 143)
    assert not place.leftovers()


@pytest.mark.slow
def test_commands_interrupted_a_hundred_times_can_be_run_again(place: Place) -> None:
    stop_often(place, 100, seed=10)
    for line in LINES:
        done = place.run(line)
        assert done.code == 0, done.err
    assert not place.leftovers()


@pytest.mark.slow
def test_an_audit_that_is_resumed_and_interrupted_keeps_its_results(place: Place) -> None:
    """Steps that the second run did not reach are still in the results and in the report."""
    line = LINES[-1].words
    first = place.run(line)
    results = (place.out / "run" / "results.json").read_bytes()
    again = place.run(f"{line} --budget 0")
    assert (again.code, again.out) == (0, first.out)
    assert (place.out / "run" / "results.json").read_bytes() == results


@pytest.mark.parametrize(
    "how",
    [
        "raise RuntimeError('library') from error",
        "raise RuntimeError('library') from None",
        "raise OSError('library')",
    ],
)
def test_a_signal_that_a_library_turns_into_another_error_is_an_interruption(how: str) -> None:
    """Python 3.11 does so while a class is defined."""
    code = (
        "import os, signal\n"
        "from weatherglass._cli.main import cli, main\n"
        "def stopped(*arguments, **named):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        os.getpid()\n"
        "    except BaseException as error:\n"
        f"        {how}\n"
        "cli.main = stopped\n"
        "main([])\n"
    )
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", f"{SENTENCE}\n")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_a_file_is_written_leaves_no_partial_file(
    number: signal.Signals, tmp_path: Path
) -> None:
    """The exit code is 128 plus the number of the signal."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from weatherglass._cli import output\n"
        "from weatherglass._cli.main import main\n"
        "def write(path, text, encoding):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "Path.write_text = write\n"
        "main(['catalog', 'kinds', '-o', 'kinds.txt'])\n"
    )
    done = python(code, tmp_path)
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert done.stderr.strip() == SENTENCE
    assert not list(tmp_path.iterdir())


def test_a_command_under_nohup_ignores_a_closed_terminal(place: Place) -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "os.execv(sys.executable, [sys.executable, '-c', '''\n"
        "import os, signal\n"
        "from weatherglass._cli.main import cli, main\n"
        "cli.callback = lambda: os.kill(os.getpid(), signal.SIGHUP)\n"
        'main(["catalog", "kinds"])\n'
        "'''])\n"
    )
    done = python(code)
    assert (done.returncode, done.stderr) == (0, "")
    assert "noun" in done.stdout


def test_a_signal_in_a_destructor_or_at_exit_interrupts() -> None:
    """In a destructor, where an error would be printed and lost, the signal is sent again."""
    code = (
        "import os, signal, time\n"
        "from weatherglass.__main__ import main\n"
        "from weatherglass._cli.main import cli\n"
        "class Odd:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "def callback():\n"
        "    Odd()\n"
        "    time.sleep(20)\n"
        "cli.callback = callback\n"
        "main(['catalog', 'kinds'])\n"
    )
    done = python(code)
    assert (done.returncode, done.stderr.strip()) == (130, SENTENCE)
    code = (
        "import atexit, os, signal\n"
        "from weatherglass.__main__ import main\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "main(['catalog', 'kinds'])\n"
    )
    done = python(code)
    assert (done.returncode, done.stderr.strip()) == (130, SENTENCE)
    assert "noun" in done.stdout  # what was finished was printed


def test_a_signal_while_a_worker_starts_prints_no_traceback() -> None:
    """The worker would print a traceback, because it got no instructions."""
    code = (
        "import os, signal\n"
        "from multiprocessing import util\n"
        "from weatherglass._cli.main import cli, main\n"
        "from weatherglass.tasks import executor, run\n"
        "spawn = util.spawnv_passfds\n"
        "def spawn_and_stop(path, arguments, *rest):\n"
        "    process = spawn(path, arguments, *rest)\n"
        "    if b'--multiprocessing-fork' in map(os.fsencode, arguments):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return process\n"
        "util.spawnv_passfds = spawn_and_stop\n"
        "def callback():\n"
        "    with executor(2) as team:\n"
        "        print(list(run(abs, range(4), team)))\n"
        "cli.callback = callback\n"
        "main(['catalog', 'kinds'])\n"
    )
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (143, "", SENTENCE)


def test_tracebacks_of_interrupted_libraries_are_suppressed_at_exit() -> None:
    """It may have been left in any state."""
    code = (
        "import atexit, os, signal, threading, time\n"
        "from weatherglass._cli.main import cli, main\n"
        "def callback():\n"
        "    atexit.register(lambda: 1 / 0)\n"
        "    threading._register_atexit(lambda: 1 / 0)\n"
        "    threading.Thread(target=lambda: time.sleep(0.5) or 1 / 0).start()\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "cli.callback = callback\n"
        "main(['catalog', 'kinds'])\n"
    )
    done = python(code)
    assert (done.returncode, done.stderr.strip()) == (143, SENTENCE)


@pytest.mark.slow
def test_uploads_of_a_killed_server_are_deleted_by_the_next(place: Place) -> None:
    pytest.importorskip("fastapi", reason="needs the extra 'web'")
    temporary = place.root / "temporary"
    temporary.mkdir()
    env = os.environ | {"TMPDIR": str(temporary), "WEATHERGLASS_CACHE_DIR": str(place.cache)}
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    command += ["--source", str(place.given["vectors"])]

    def serving() -> tuple[subprocess.Popen[str], str]:
        server = subprocess.Popen(
            command,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert server.stdout is not None
        return server, server.stdout.readline().split(" at ")[1].split()[0]

    server, address = serving()
    request = Request(f"{address}upload/vectors/v.txt", b"rose 1 2\nlily 2 1\n", method="PUT")
    with urlopen(request, timeout=60) as answer:
        assert answer.status == 201
    left = list(temporary.iterdir())
    assert left
    # With its processes, which would delete the uploads when they noticed that it was gone.
    os.killpg(server.pid, signal.SIGKILL)
    server.communicate()
    assert all(folder.is_dir() for folder in left)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 143)):
        server, address = serving()
        with urlopen(address, timeout=60) as page:
            assert page.status in (200, 202)  # it may wait for the vectors
        assert not any(folder.exists() for folder in left)
        server.send_signal(number)
        _, stderr = server.communicate(timeout=60)
        assert "Traceback" not in stderr, stderr
        assert server.returncode == code
        assert not list(temporary.iterdir())
