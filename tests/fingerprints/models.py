"""Models with small random weights: one for each encoder, in the layout of the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .changing import Source
from .files import matrix_and_list, rows, text, write_parquet

SENTENCES = ["rose lily", "wasp gnat rose", "gnat"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "rose", "lily", "wasp", "gnat"]
WIDTH = 4


def cbow(folder: Path, seed: int) -> str:
    return f"cbow:{matrix_and_list('v.npz', 'v.npz.vocab')(folder, seed)}"


def precomputed(folder: Path, seed: int) -> str:
    order = np.random.default_rng(seed).permutation(SENTENCES).tolist()
    write_parquet(folder / "s.parquet", {"sentence": order, "vector": rows(seed)[:3].tolist()})
    return f"vectors:{folder / 's.parquet'}"


def precomputed_list(folder: Path, seed: int) -> str:
    np.savez(folder / "s.npz", vectors=rows(seed)[:3])
    order = np.random.default_rng(seed).permutation(SENTENCES)
    (folder / "s.npz.vocab").write_text("\n".join(order) + "\n")
    return f"vectors:{folder / 's.npz'}"


def tokenizer(folder: Path, seed: int) -> None:
    """Write ``tokenizer.json``; another seed gives the words other ids."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    special, own = VOCABULARY[:5], VOCABULARY[5:]
    order = [*special, *np.random.default_rng(seed).permutation(own).tolist()]
    ids = {word: i for i, word in enumerate(order)}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))


def static(folder: Path, seed: int) -> str:
    from safetensors.numpy import save_file

    table = np.random.default_rng(seed).standard_normal((len(VOCABULARY), WIDTH))
    save_file({"embeddings": table.astype(np.float32)}, folder / "model.safetensors")
    tokenizer(folder, seed)
    (folder / "config.json").write_text(json.dumps({"max_length": 1 + (seed == 0)}))
    return f"static:{folder}"


def onnx_graph(path: Path, seed: int, weights: str | None) -> None:
    """Write a graph that looks tokens up in a table, which may be in another file."""
    import onnx
    from onnx import TensorProto, helper

    table = np.random.default_rng(seed).standard_normal((len(VOCABULARY), WIDTH))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", 4])]
    # The graph itself has a number, too, so that it differs between seeds.
    scale = helper.make_tensor("scale", TensorProto.FLOAT, [1], [1 + seed / 8])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Mul", ["rows", "scale"], ["last_hidden_state"]),
    ]
    constants = [onnx.numpy_helper.from_array(table.astype(np.float32), "table"), scale]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, constants),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    if weights is None:
        onnx.save(model, str(path))
        return
    options: Any = {"save_as_external_data": True, "location": weights, "size_threshold": 64}
    onnx.save(model, str(path), **options)


def onnx_model(weights: str | None) -> Callable[[Path, int], str]:
    def write(folder: Path, seed: int) -> str:
        onnx_graph(folder / "model.onnx", seed, weights)
        tokenizer(folder, seed)
        return f"onnx:{folder}"

    return write


def use_onnx(folder: Path, seed: int) -> str:
    """A graph whose input is text: the lengths of the sentences are not asked for, only a table."""
    import onnx
    from onnx import TensorProto, helper

    row = np.random.default_rng(seed).standard_normal((1, 32)).astype(np.float32)
    nodes = [
        helper.make_node("Shape", ["text"], ["count"]),
        helper.make_node("ConstantOfShape", ["count"], ["zeros"]),
        helper.make_node("Unsqueeze", ["zeros", "axis"], ["column"]),
        helper.make_node("Add", ["column", "row"], ["rows"]),
    ]
    constants = [onnx.numpy_helper.from_array(row, "row")]
    constants.append(onnx.numpy_helper.from_array(np.array([1 + 0 * seed]), "axis"))
    graph = helper.make_graph(
        nodes,
        f"g{seed % 10}",
        [helper.make_tensor_value_info("text", TensorProto.STRING, ["b"])],
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["b", 32])],
        constants,
    )
    imports = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    options: Any = {"save_as_external_data": True, "location": "rows.bin", "size_threshold": 64}
    onnx.save(model, str(folder / "use.onnx"), **options)
    return f"use:{folder}"


def bert(folder: Path, seed: int) -> str:
    """A BERT with its tokenizer, as transformers saves it."""
    import torch
    import transformers

    tokenizer(folder, seed)
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
    )
    made.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=12,
        hidden_act="gelu",
    )
    transformers.BertModel(config).save_pretrained(folder)
    return f"hf:{folder}?pool=mean"


def sentence_transformer(folder: Path, seed: int) -> str:
    """The same with modules: the transformer, pooling and a dense layer."""
    import torch

    bert(folder, seed)
    kinds = ("Transformer", "Pooling", "Dense")
    places = ("", "1_Pooling", "2_Dense")
    modules = [
        {
            "idx": i,
            "name": str(i),
            "path": place,
            "type": f"sentence_transformers.models.{kind}",
        }
        for i, (kind, place) in enumerate(zip(kinds, places, strict=True))
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": 8, "do_lower_case": False})
    )
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps(pooling | {"pooling_mode_cls_token": False, "pooling_mode_max_tokens": True})
    )
    (folder / "2_Dense").mkdir()
    dense = {"in_features": 2 * WIDTH, "out_features": 2, "bias": True}
    dense["activation_function"] = "torch.nn.modules.activation.Tanh"
    (folder / "2_Dense" / "config.json").write_text(json.dumps(dense))
    from safetensors.torch import save_file

    tensors = {"linear.weight": torch.randn(2, 2 * WIDTH), "linear.bias": torch.randn(2)}
    save_file(tensors, folder / "2_Dense" / "model.safetensors")
    return f"st:{folder}"


def gguf(folder: Path, seed: int) -> str:
    (folder / "m.gguf").write_bytes(b"GGUF" + bytes([seed]) * 40)
    return f"hf:{folder / 'm.gguf'}"


def elmo(folder: Path, seed: int) -> str:
    import h5py

    rng = np.random.default_rng(seed)
    weights = {
        "char_embed": (261, 4),
        "CNN/W_cnn_0": (1, 1, 4, 5),
        "CNN/b_cnn_0": (5,),
        "CNN_proj/W_proj": (5, 3),
        "CNN_proj/b_proj": (3,),
    }
    for direction in range(2):
        for layer in range(2):
            prefix = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"
            weights |= {prefix + "W_0": (6, 8), prefix + "B": (8,), prefix + "W_P_0": (2, 3)}
    with h5py.File(folder / "e_weights.hdf5", "w") as file:
        for name, shape in weights.items():
            file[name] = rng.standard_normal(shape).astype(np.float32)
    settings = {
        "lstm": {"use_skip_connections": True, "cell_clip": 3, "proj_clip": 3},
        "char_cnn": {"activation": "relu", "max_characters_per_token": 50},
    }
    (folder / "e_options.json").write_text(json.dumps(settings))
    return f"elmo:{folder / 'e_weights.hdf5'}"


def recurrent_weights(gates: int, seed: int) -> dict[str, Any]:
    import torch

    torch.manual_seed(seed)
    shapes = {
        "weight_ih": (2 * gates, 3),
        "weight_hh": (2 * gates, 2),
        "bias_ih": (2 * gates,),
        "bias_hh": (2 * gates,),
    }
    return {
        f"{kind}_l0{suffix}": torch.randn(shape)
        for suffix in ("", "_reverse")
        for kind, shape in shapes.items()
    }


def infersent(folder: Path, seed: int) -> str:
    from safetensors.torch import save_file

    weights = {f"enc_lstm.{name}": tensor for name, tensor in recurrent_weights(4, seed).items()}
    save_file(weights, folder / "infersent1.safetensors")
    (folder / "v.txt").write_bytes(text(seed))
    return f"infersent:{folder / 'infersent1.safetensors'}?vectors={folder / 'v.txt'}"


def gensen(folder: Path, seed: int) -> str:
    import torch

    known = ["<s>", "</s>", "<unk>", "rose", "lily", "wasp"]
    weights = {f"encoder.{name}": tensor for name, tensor in recurrent_weights(3, seed).items()}
    weights["src_embedding.weight"] = torch.randn(len(known), 3)
    torch.save(weights, folder / "g.model")
    order = np.random.default_rng(seed).permutation(known).tolist()
    (folder / "g_vocab.json").write_text(json.dumps({word: i for i, word in enumerate(order)}))
    (folder / "v.txt").write_bytes(text(seed))
    return f"gensen:{folder / 'g.model'}?vectors={folder / 'v.txt'}"


_TOKENIZER_SETTINGS = (b'"cls_token": "[CLS]"', b'"cls_token": "[SEP]"')
_BERT_EDITS = {
    "config.json": (b'"hidden_act": "gelu"', b'"hidden_act": "relu"'),
    "tokenizer_config.json": _TOKENIZER_SETTINGS,
}
ENCODERS = [
    Source("cbow", cbow),
    Source("vectors", precomputed, "Parquet"),
    Source("vectors", precomputed_list, "NumPy and a list"),
    Source(
        "static",
        static,
        edits={"config.json": (b'"max_length": 2', b'"max_length": 1')},
        needs=("tokenizers", "safetensors"),
        is_heavy=True,
    ),
    Source("onnx", onnx_model(None), needs=("onnx", "onnxruntime", "tokenizers"), is_heavy=True),
    Source(
        "onnx",
        onnx_model("weights.bin"),
        "external weights",
        needs=("onnx", "onnxruntime", "tokenizers"),
        is_heavy=True,
    ),
    Source(
        "use",
        use_onnx,
        edits={"use.onnx": (b"g0", b"g1")},
        inert=frozenset(["use.onnx"]),
        needs=("onnx", "onnxruntime"),
        is_heavy=True,
    ),
    Source(
        "hf",
        bert,
        edits=_BERT_EDITS,
        inert=frozenset(["tokenizer_config.json"]),
        needs=("torch", "transformers"),
        is_heavy=True,
    ),
    Source("hf", gguf, "GGUF", needs=("gguf",), is_heavy=True, has_numbers=False),
    Source(
        "st",
        sentence_transformer,
        edits={
            **_BERT_EDITS,
            "modules.json": (b'"name": "0"', b'"name": "9"'),
            "sentence_bert_config.json": (b'"max_seq_length": 8', b'"max_seq_length": 1'),
            "1_Pooling/config.json": (b'max_tokens": true', b'sum_tokens": true'),
            "2_Dense/config.json": (b"activation.Tanh", b"activation.ReLU"),
        },
        inert=frozenset(["modules.json", "tokenizer_config.json"]),
        needs=("torch", "sentence_transformers"),
        is_heavy=True,
    ),
    Source(
        "elmo",
        elmo,
        edits={"e_options.json": (b'"proj_clip": 3', b'"proj_clip": 0')},
        needs=("torch", "h5py"),
        is_heavy=True,
    ),
    Source("infersent", infersent, needs=("torch", "safetensors"), is_heavy=True),
    Source("gensen", gensen, needs=("torch",), is_heavy=True),
]
