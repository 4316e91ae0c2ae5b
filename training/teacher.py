"""The teacher of scores: public sentence encoders, one or several. None of their weights ship.

    python -m training.teacher --encoder minilm=DIR bge=DIR e5=DIR --out DIR

packs each encoder (an ONNX file and its tokenizer.json) into one file of 8-bit weights. training.compare_teachers chooses how
they are mixed. The vector of a text is then the encoders' vectors one after another, each times the root of its weight, so that
the product of two vectors, plus a constant, is the mixed cosine.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from .model import Encoder, Size

MAX_TOKENS = 256
CLS, SEP = 101, 102
QUESTION, TEXT, PASSAGE = range(3)  # the role of a text; TEXT is a query that is prose, such as a chunk


@dataclass(frozen=True)
class Kind:
    """How an encoder reads texts: its layers, its prefix by role, and whether a vector is [CLS]'s or the mean."""

    layers: int
    prefixes: tuple[str, str, str]
    first: bool = False


KINDS = {
    "minilm": Kind(6, ("", "", "")),
    "bge": Kind(12, ("Represent this sentence for searching relevant passages: ", "", ""), first=True),
    "e5": Kind(12, ("query: ", "query: ", "passage: ")),
}


def read_onnx(path: Path) -> dict[str, Tensor]:
    """Weights under Hugging Face's names. The matrices of an export are transposed and have no name of their own."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    arrays = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    out = {name: torch.from_numpy(a.copy()).float() for name, a in arrays.items() if re.match(r"(embeddings|encoder)\.", name)}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".") + ".weight"
            out[name] = torch.from_numpy(arrays[node.input[1]].T.copy()).float()
    out.pop("embeddings.position_ids", None)
    return out


def pack(folder: Path, out: Path) -> None:
    """Writes matrices as 8-bit rows with a scale each, and vectors in float32."""
    packed: dict[str, Tensor] = {}
    for name, tensor in read_onnx(next(folder.glob("*.onnx"))).items():
        if tensor.ndim == 2:
            scale = tensor.abs().amax(1, keepdim=True).clamp(min=1e-9) / 127
            packed[name], packed[name + ".scale"] = (tensor / scale).round().to(torch.int8), scale
        else:
            packed[name] = tensor
    save_file(packed, out)


class SentenceEncoder:
    def __init__(self, name: str, folder: Path, device: torch.device) -> None:
        self.kind, self.device = KINDS[name], device
        packed = load_file(folder / f"{name}.safetensors")
        weights = {n: t.float() for n, t in packed.items() if not n.endswith(".scale")}
        for n in packed:
            if n.endswith(".scale"):
                weights[n.removesuffix(".scale")] *= packed[n]
        self.encoder = Encoder(Size(layers=self.kind.layers, hidden=384, heads=12, vocabulary=30_522))
        self.encoder.load_state_dict(weights, strict=False)
        self.encoder.eval().to(device)

    @torch.inference_mode()
    def embed(self, ids: np.ndarray, lengths: np.ndarray, prefix: list[int], tokens_per_batch: int = 262_144) -> Tensor:
        """Unit vectors [texts, 384] in float16, on the device. Texts are batched by length, longest first."""
        head = torch.tensor([CLS, *prefix], device=self.device)
        counts_in = np.minimum(lengths, MAX_TOKENS - 2 - len(prefix))
        order = np.argsort(-counts_in, kind="stable")
        flat = torch.from_numpy(ids).to(self.device)
        starts = torch.from_numpy(np.cumsum(lengths) - lengths).to(self.device)
        counts = torch.from_numpy(counts_in).to(self.device)
        out = torch.empty(len(lengths), 384, dtype=torch.float16, device=self.device)
        at = 0
        while at < len(order):
            width = -(-int(counts_in[order[at]]) // 8) * 8
            rows = torch.from_numpy(order[at : at + max(1, tokens_per_batch // (width + len(head) + 1))]).to(self.device)
            column = torch.arange(width + 1, device=self.device)[None]
            count = counts[rows][:, None]
            body = flat[(starts[rows][:, None] + column).clamp(max=len(flat) - 1)].long()
            body = torch.where(column < count, body, torch.where(column == count, SEP, 0))
            batch = torch.cat([head.expand(len(rows), -1), body], dim=1)
            mask = torch.cat([torch.ones(len(rows), len(head), dtype=torch.bool, device=self.device), column <= count], dim=1)
            with torch.autocast(self.device.type, torch.float16, enabled=self.device.type == "cuda"):
                hidden = self.encoder(batch, torch.zeros_like(batch), mask).float()
            vector = hidden[:, 0] if self.kind.first else (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            out[rows] = torch.nn.functional.normalize(vector, dim=1).half()
            at += len(rows)
        return out


class Teacher:
    """The mixture that `mixture.json` describes: a weight for each encoder, and a constant."""

    def __init__(self, folder: Path, device: torch.device, weights: dict[str, float] | None = None) -> None:
        if weights is None:
            mixture = json.loads((folder / "mixture.json").read_text())
            weights, self.constant, self.lexical = mixture["weights"], mixture["constant"], mixture["lexical"]
        self.weights = weights
        self.encoders = {name: SentenceEncoder(name, folder, device) for name in weights}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def tokenize(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Ids one after another without special tokens, and how many belong to each text."""
        encodings = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        lengths = np.array([min(MAX_TOKENS, len(e.ids)) for e in encodings], dtype=np.int64)
        ids = np.fromiter(chain.from_iterable(e.ids[:MAX_TOKENS] for e in encodings), dtype=np.int32, count=int(lengths.sum()))
        return ids, lengths

    def encode_each(self, texts: list[str], role: int) -> dict[str, Tensor]:
        """Unit vectors by each encoder."""
        ids, lengths = self.tokenize(texts)
        out = {}
        for name, encoder in self.encoders.items():
            prefix = self.tokenizer.encode(encoder.kind.prefixes[role], add_special_tokens=False).ids
            out[name] = encoder.embed(ids, lengths, prefix)
        return out

    def encode(self, texts: list[str], role: int) -> Tensor:
        """Vectors of the mixture."""
        parts = self.encode_each(texts, role)
        return torch.cat([parts[name] * self.weights[name] ** 0.5 for name in self.encoders], dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", nargs="+", required=True, help="NAME=FOLDER")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, folder in (pair.split("=", 1) for pair in options.encoder):
        pack(Path(folder), options.out / f"{name}.safetensors")
        shutil.copy(next(Path(folder).glob("*tokenizer.json")), options.out / "tokenizer.json")


if __name__ == "__main__":
    main()
