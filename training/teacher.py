"""The teacher of scores: a public sentence encoder (all-MiniLM-L6-v2). None of its weights ship.

    python -m training.teacher --model DIR --out DIR

A vector is the normalised mean of the last hidden states. The teacher's score of a pair is the cosine.
"""

from __future__ import annotations

import argparse
import shutil
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from .model import Encoder, Size

SIZE = Size(layers=6, hidden=384, heads=12, vocabulary=30_522)
MAX_TOKENS = 256
EMBEDDING = "embeddings.word_embeddings.weight"


def pack(model: Path, out: Path) -> None:
    """Writes the weights in float16, the word embeddings in int8 with a scale per row."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {n: t for n, t in load_file(model / "model.safetensors").items() if t.is_floating_point()}
    table = weights.pop(EMBEDDING)
    scale = table.abs().amax(1, keepdim=True) / 127
    packed = {n: t.half() for n, t in weights.items()}
    packed["table"] = (table / scale).round().to(torch.int8)
    packed["scale"] = scale
    save_file(packed, out / "teacher.safetensors")
    shutil.copy(model / "tokenizer.json", out / "tokenizer.json")


class Teacher:
    def __init__(self, folder: Path, device: torch.device) -> None:
        self.device = device
        packed = load_file(folder / "teacher.safetensors")
        weights = {n: t.float() for n, t in packed.items() if n not in ("table", "scale")}
        weights[EMBEDDING] = packed["table"].float() * packed["scale"]
        self.encoder = Encoder(SIZE)
        self.encoder.load_state_dict(weights)
        self.encoder.eval().to(device)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def tokenize(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Ids one after another, and how many belong to each text."""
        encodings = self.tokenizer.encode_batch_fast(texts)
        lengths = np.array([len(e.ids) for e in encodings], dtype=np.int64)
        ids = np.fromiter(
            chain.from_iterable(e.ids for e in encodings), dtype=np.int32, count=int(lengths.sum())
        )
        return ids, lengths

    @torch.inference_mode()
    def embed(self, ids: np.ndarray, lengths: np.ndarray, tokens_per_batch: int = 262_144) -> Tensor:
        """Unit vectors [texts, 384] in float16, on the device. Texts are batched by length, longest first."""
        order = np.argsort(-lengths, kind="stable")
        flat = torch.from_numpy(ids).to(self.device)
        starts = torch.from_numpy(np.cumsum(lengths) - lengths).to(self.device)
        counts = torch.from_numpy(lengths).to(self.device)
        out = torch.empty(len(lengths), SIZE.hidden, dtype=torch.float16, device=self.device)
        at = 0
        while at < len(order):
            width = int(lengths[order[at]])
            rows = torch.from_numpy(order[at : at + max(1, tokens_per_batch // width)]).to(self.device)
            column = torch.arange(width, device=self.device)[None]
            mask = column < counts[rows][:, None]
            batch = torch.where(
                mask, flat[(starts[rows][:, None] + column).clamp(max=len(flat) - 1)], 0
            ).long()
            with torch.autocast(self.device.type, torch.float16, enabled=self.device.type == "cuda"):
                hidden = self.encoder(batch, torch.zeros_like(batch), mask).float()
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            out[rows] = torch.nn.functional.normalize(mean, dim=1).half()
            at += len(rows)
        return out

    def encode(self, texts: list[str]) -> Tensor:
        return self.embed(*self.tokenize(texts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pack(options.model, options.out)


if __name__ == "__main__":
    main()
