"""``st:NAME_OR_PATH``: models of sentence-transformers, as they were made to be used."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weatherglass.errors import EncoderError, MissingExtra
from weatherglass.vectors import Spec
from weatherglass.vectors.sources import check_options

from .models import find_folder, model_fingerprint, refuse_pickles
from .protocol import Encodings


class SentenceTransformerEncoder:
    """A model of sentence-transformers. It is loaded when the first sentence is encoded.

    Parameters
    ----------
    folder
        The model's folder.
    device
        Where to compute, as PyTorch names it; by default a graphics card where there is one.
    """

    def __init__(self, folder: Path, *, device: str | None = None, name: str = "") -> None:
        self.folder, self.name, self._device = folder, name or f"st:{folder}", device

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the model's files."""
        return model_fingerprint(self.folder, "st")

    @functools.cached_property
    def _model(self) -> Any:
        refuse_pickles(self.folder)
        with quiet():
            from sentence_transformers import SentenceTransformer

            try:
                model = SentenceTransformer(
                    str(self.folder), device=self._device, local_files_only=True
                )
            except Exception as error:  # whatever is wrong with the folder
                raise unloadable(self.name, error) from error
        return model.float().eval()

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        rows: Encodings = self._model.encode(
            list(sentences),
            batch_size=max(1, len(sentences)),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return rows


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Loading a model prints nothing: no bars, no reports of weights that are not needed."""
    import transformers

    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # GGUF's bar cannot be switched off
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def unloadable(name: str, error: Exception) -> EncoderError:
    """What to say of a model that its library cannot load."""
    reason = " ".join(str(error).split())[:300]
    return EncoderError(f"{name} cannot be loaded: {type(error).__name__}: {reason}")


def open_st(spec: Spec) -> SentenceTransformerEncoder:
    """Open ``st:NAME_OR_PATH?device=cpu``."""
    check_options(spec, ["device"])
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("An encoder of sentence-transformers (st:)", "transformers")
    folder = find_folder(spec.rest)
    return SentenceTransformerEncoder(folder, device=spec.options.get("device"), name=spec.text)
