"""The options that ``hf:`` and ``st:`` share, and how both load a model."""

from __future__ import annotations

import contextlib
import io
import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from weatherglass.errors import EncoderError, UsageError, did_you_mean, join_first, quote_safe
from weatherglass.vectors import Spec

from ..encoder import Encodings, choice_option, integer_option
from ..token_states import POOLS

SHARED = (
    "prompt",
    "prompt_name",
    "truncate_dim",
    "revision",
    "layer",
    "pooling",
    "batch_size",
    "device",
)
"""The names of the options that both schemes take."""


@dataclass(frozen=True)
class Served:
    """How a model is served: what is put before a sentence, and what is kept of a row.

    Attributes
    ----------
    prompt
        Text before every sentence, such as ``"query: "``.
    prompt_name
        The name of a prompt in the model's ``config_sentence_transformers.json``.
    truncate_dim
        The number of leading dimensions to keep (Matryoshka models).
    """

    prompt: str | None = None
    prompt_name: str | None = None
    truncate_dim: int | None = None

    @property
    def fingerprint(self) -> tuple[dict[str, Any], ...]:
        """What to add to a fingerprint; nothing if no option is given."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return (given,) if given else ()

    def truncate(self, rows: Encodings, name: str) -> Encodings:
        """Return the leading dimensions of rows."""
        if self.truncate_dim is None:
            return rows
        if self.truncate_dim > rows.shape[1]:
            raise UsageError(
                f"{name}: truncate_dim is {self.truncate_dim}, and the model has {rows.shape[1]} "
                "dimensions."
            )
        return rows[:, : self.truncate_dim]


def served_options(spec: Spec, folder: Path) -> Served:
    """Return the options of a spec; a prompt's name must be one of the model's."""
    prompt, name = spec.options.get("prompt"), spec.options.get("prompt_name")
    if prompt is not None and name is not None:
        raise UsageError(f"Give either prompt or prompt_name in {quote_safe(spec.text)}.")
    if name is not None and name not in (known := read_prompts(folder)):
        listed = ", ".join(map(quote_safe, known)) or "none"
        raise UsageError(
            f"The model has no prompt {quote_safe(name)}."
            + (did_you_mean(name, known) or f" It has {listed}.")
        )
    return Served(prompt, name, integer_option(spec, "truncate_dim", low=1))


def read_prompts(folder: Path) -> dict[str, str]:
    """Return the prompts of a model by name."""
    try:
        config = json.loads((folder / "config_sentence_transformers.json").read_bytes())
        prompts = config["prompts"]
        return {str(name): str(prompt) for name, prompt in prompts.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def pooling_option(spec: Spec) -> str:
    """Return the pooling; ``pool`` is its older name."""
    if "pool" in spec.options and "pooling" in spec.options:
        raise UsageError(f"Give pooling once in {quote_safe(spec.text)}.")
    option = "pool" if "pool" in spec.options else "pooling"
    return choice_option(spec, option, ("auto", *POOLS), "auto")


@contextlib.contextmanager
def load_strictly() -> Iterator[None]:
    """Load models without a print, and refuse those of which weights are missing.

    The library would fill missing weights with random numbers, others at each time. It says so in
    a warning only, which is suppressed together with progress bars and reports of unused weights.
    """
    import transformers

    logging: Any = transformers.utils.logging
    base: Any = transformers.PreTrainedModel
    with _loading:
        level, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        original = vars(base)["from_pretrained"]

        def load(cls: Any, *arguments: Any, **options: Any) -> Any:
            refuse_too_many_layers(options.get("config"))
            has_report = options.pop("output_loading_info", False)
            model, report = original.__func__(cls, *arguments, output_loading_info=True, **options)
            has_decoder = getattr(model.config, "is_encoder_decoder", False)
            refuse_missing_weights(report["missing_keys"], has_decoder)
            return (model, report) if has_report else model

        base.from_pretrained = classmethod(load)
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # GGUF's progress bar has no switch
                yield
        finally:
            base.from_pretrained = original
            logging.set_verbosity(level)
            if has_bars:
                logging.enable_progress_bar()


_loading = threading.Lock()  # the settings of the library are those of the process
# No encoding uses them: poolers, which come after the token states, and decoders beside an encoder.
_UNUSED = re.compile(r"(^|\.)pooler\.")
_UNUSED_BESIDE_ENCODER = re.compile(r"(^|\.)(pooler|decoder|lm_head)\.")


MAX_LAYERS = 1000
"""The largest models have between 100 and 200 layers; creating a million takes hours."""

_LAYER_COUNTS = re.compile(r"^(num|n|encoder|decoder)_(\w+_)?layers?$")


def refuse_too_many_layers(config: Any) -> None:
    """Refuse a configuration that claims more layers than any model has, before they are made."""
    for name, count in (config.to_dict() if config is not None else {}).items():
        if _LAYER_COUNTS.match(name) and isinstance(count, int) and count > MAX_LAYERS:
            raise ValueError(
                f"its configuration claims {count:,} layers ({name}); at most {MAX_LAYERS:,} are "
                "loaded."
            )


def refuse_missing_weights(names: Iterable[str], has_decoder: bool) -> None:
    """Refuse a model without the weights of these names, unless no encoding uses them."""
    unused = _UNUSED_BESIDE_ENCODER if has_decoder else _UNUSED
    missing = sorted(name for name in names if not unused.search(name))
    if missing:
        raise ValueError(
            f"its files lack the weights {join_first(map(quote_safe, missing), 3)}. Nothing is "
            "measured with random numbers in their place."
        )


def count_tokens(tokenizer: Any, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text, without those that mark its ends."""
    ids = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    return [len(row) for row in ids]


def load_error(name: str, error: Exception) -> EncoderError:
    """Return the error for a model that its library cannot load."""
    reason = " ".join(str(error).split())[:300]
    return EncoderError(f"{name} cannot be loaded: {type(error).__name__}: {reason}")
