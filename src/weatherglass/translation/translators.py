"""Translators: a command that reads lines, or an HTTP endpoint."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any
from urllib.parse import urlsplit

from weatherglass._files import format_size
from weatherglass.encoders import MAX_RESPONSE_BYTES, REQUEST_FAILURES, credentials_for, fetch
from weatherglass.errors import EncoderError, UsageError, quote_safe

from .pronouns import Translation
from .sentences import translation_sentences

Translator = Callable[[Sequence[str], str, str], Sequence[str]]
"""Translates sentences from a language to another, given by their codes."""

_BATCH = 50  # sentences of a request
_MAX_TEXT = 200  # characters of an error message
_MAX_ERROR_BYTES = 1 << 16
_POLL_SECONDS = 0.02
MAX_OUTPUT_BYTES = 64 << 20
"""What a command may write: the sentences of a language are a few kilobytes."""


def translate_sentences(
    translator: Translator, languages: Sequence[str] = (), target: str = "en"
) -> list[Translation]:
    """Translate the sentences of the catalogue.

    Parameters
    ----------
    translator
        A function of sentences, source language and target language, which returns as many
        translations; `command_translator` and `endpoint_translator` make such functions.
    languages
        Codes of languages of the catalogue; all by default.
    target
        The code of the language to translate to.
    """
    translations: list[Translation] = []
    sentences = translation_sentences(languages)
    for code in dict.fromkeys(sentence.language for sentence in sentences):
        chosen = [sentence for sentence in sentences if sentence.language == code]
        texts = translator([sentence.text for sentence in chosen], code, target)
        if len(texts) != len(chosen):
            raise EncoderError(
                f"The translator returned {len(texts)} translations for {len(chosen)} sentences."
            )
        translations += [
            Translation(code, sentence.occupation, str(text), target)
            for sentence, text in zip(chosen, texts, strict=True)
        ]
    return translations


def command_translator(command: str, *, seconds: float = 600.0) -> Translator:
    """Return a translator that runs a command: sentences go in, and come out, one per line.

    ``{source}`` and ``{target}`` in the command are replaced by the codes of the languages. It is
    started without a shell.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:  # a quotation mark without its partner
        raise UsageError(f"The command of the translator cannot be read: {error}.") from None
    if not words:
        raise UsageError("The command of the translator is empty.")

    def translate(sentences: Sequence[str], source: str, target: str) -> list[str]:
        line = [word.replace("{source}", source).replace("{target}", target) for word in words]
        try:
            code, output, errors = _run(line, "".join(f"{text}\n" for text in sentences), seconds)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the command
            raise EncoderError(
                f"The translator {quote_safe(words[0])} could not be run: {error}."
            ) from None
        if code:
            message = quote_safe(" ".join(errors.split()), _MAX_TEXT)
            raise EncoderError(
                f"The translator {quote_safe(words[0])} ended with code {code}: {message}."
            )
        # Not `splitlines`, which also ends lines at characters inside a translation.
        lines = output.removesuffix("\n").split("\n")
        return [text.removesuffix("\r") for text in lines] if output else []

    return translate


def _run(command: Sequence[str], text: str, seconds: float) -> tuple[int, str, str]:
    """Run a command without a shell; return its exit code, its output and its error messages.

    Output goes to files, so that a command that never stops writing fills no memory. The command
    and all that it started are killed after `seconds`, or if the output is too long.
    """
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(text.encode())
        given.seek(0)
        with subprocess.Popen(
            [*command], stdin=given, stdout=output, stderr=errors, start_new_session=True
        ) as process:
            try:
                end = time.monotonic() + seconds
                while process.poll() is None:
                    if time.monotonic() > end:
                        raise TimeoutError(f"it took more than {seconds:g} seconds")
                    if _size(output) + _size(errors) > MAX_OUTPUT_BYTES:
                        raise OSError(f"it wrote more than {format_size(MAX_OUTPUT_BYTES)}")
                    time.sleep(_POLL_SECONDS)
            finally:
                if process.poll() is None:
                    _kill_group(process)
        if _size(output) > MAX_OUTPUT_BYTES:
            raise OSError(f"it wrote more than {format_size(MAX_OUTPUT_BYTES)}")
        output.seek(0)
        errors.seek(0)
        output_bytes, error_bytes = output.read(), errors.read(_MAX_ERROR_BYTES)
    return (
        process.returncode,
        output_bytes.decode("utf-8", "replace"),
        error_bytes.decode("utf-8", "replace"),
    )


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def endpoint_translator(url: str, *, seconds: float = 120.0) -> Translator:
    """Return a translator that posts sentences to an HTTP endpoint.

    A request is ``{"q": [sentences], "source": "tr", "target": "en", "format": "text"}``, as
    LibreTranslate and Google's API read it. The answer has a list ``translatedText`` or
    ``translations``, whose items are texts or have ``translatedText`` or ``text``. A key is sent as
    to any endpoint: ``WEATHERGLASS_API_KEY``, to the server ``WEATHERGLASS_API_HOST``.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError(
            f"{quote_safe(url)} is not the address of an endpoint; it must begin with https://."
        )
    credentials = credentials_for(url)

    def translate(sentences: Sequence[str], source: str, target: str) -> list[str]:
        texts: list[str] = []
        for start in range(0, len(sentences), _BATCH):
            batch = list(sentences[start : start + _BATCH])
            body = {"q": batch, "source": source, "target": target, "format": "text"}
            headers = {"Content-Type": "application/json", **credentials.headers}
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            try:
                raw = fetch(request, seconds)
            except (*REQUEST_FAILURES, TimeoutError) as error:
                message = credentials.redact(str(error))
                raise EncoderError(f"The endpoint did not translate: {message}.") from None
            texts += _parse_answer(raw)
        return texts

    return translate


def _parse_answer(raw: bytes) -> list[str]:
    """Return the translations in an answer."""
    try:
        if len(raw) > MAX_RESPONSE_BYTES:
            raise ValueError("it is too long")
        return _find_texts(json.loads(raw))
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise EncoderError(
            f"The endpoint's answer has no translations ({quote_safe(str(error), _MAX_TEXT)})."
        ) from None


def _find_texts(answer: Any) -> list[str]:
    if isinstance(answer, dict) and isinstance(answer.get("data"), dict):
        answer = answer["data"]
    if isinstance(answer, dict):
        answer = answer.get("translatedText", answer.get("translations"))
    items = [answer] if isinstance(answer, str) else answer
    if not isinstance(items, list):
        raise ValueError("neither translatedText nor translations")
    texts: list[str] = []
    for item in items:
        text = item.get("translatedText", item.get("text")) if isinstance(item, dict) else item
        if not isinstance(text, str):
            raise ValueError("a translation is no text")
        texts.append(text)
    return texts
