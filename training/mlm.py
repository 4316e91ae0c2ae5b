"""Masked-language-model training on the corpus.

    python -m training.mlm --size S --corpus DIR --vocabulary models/tiny --steps 14200 --out DIR [--init DIR]

A run ends after --steps, or after --seconds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from .model import MAX_POSITIONS, SIZES, MaskedLanguageModel, export, load_weights
from .optim import Optimizer, schedule
from .progress import every, log
from .text import CLS, MASK, SEP, VOCABULARY_SIZE

MASKED_SHARE = 0.2


def masked_batch(stream: Tensor, rows: int, length: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Random stretches of text as [CLS] a [SEP] b [SEP], with a fifth of the pieces to predict.

    The first segment is short, as queries are, in half of the rows.
    """
    device = stream.device
    column = torch.arange(length, device=device)[None]
    start = torch.randint(0, stream.numel() - length, (rows, 1), device=device)
    short = torch.randint(4, 26, (rows, 1), device=device)
    anywhere = torch.randint(8, length - 8, (rows, 1), device=device)
    first_end = torch.where(torch.rand(rows, 1, device=device) < 0.5, short, anywhere)
    text = stream[start + (column - 1 - (column > first_end + 1).long()).clamp(min=0)].long()
    separators = (column == first_end + 1) | (column == length - 1)
    ids = torch.where(separators, SEP, text)
    ids[:, 0] = CLS
    segments = (column > first_end + 1).long()
    priority = torch.rand(rows, length, device=device).masked_fill(separators, -1)
    priority[:, 0] = -1
    positions = priority.topk(int(MASKED_SHARE * length), dim=1).indices
    targets = torch.gather(ids, 1, positions)
    fate = torch.rand(positions.shape, device=device)
    other = torch.randint(MASK + 1, VOCABULARY_SIZE, positions.shape, device=device)
    shown = torch.where(fate < 0.8, MASK, torch.where(fate < 0.9, other, targets))
    return ids.scatter(1, positions, shown), segments, positions, targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), required=True)
    parser.add_argument("--init", type=Path, help="weights to continue from")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--length", type=int, default=192)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    bodies = [np.load(p)["body"].astype(np.int16) for p in sorted(options.corpus.glob("corpus-*.npz"))]
    stream = torch.from_numpy(np.concatenate(bodies)).to(device)
    model = MaskedLanguageModel(SIZES[options.size])
    if options.init:
        missing = load_weights(model, options.init)
        log("initialised from", options.init, "except", missing)
    model.to(device).train()
    if device.type == "cuda":
        model.bert.compile_layers()
    optimizer = Optimizer(model, options.learning_rate)
    due = every(10)
    losses: list[Tensor] = []
    step = 0
    started = time.time()

    def done() -> float:
        share = step / options.steps if options.steps else 0.0
        return max(share, (time.time() - started) / options.seconds)

    while done() < 1:
        # a fifth of the batches start at a later position, so that all positions are trained
        first = int(torch.randint(0, MAX_POSITIONS - options.length, (1,))) if step % 5 == 4 else 0
        ids, segments, positions, targets = masked_batch(stream, options.rows, options.length)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = model(ids, segments, positions, first)
        loss = F.cross_entropy(logits.float(), targets.flatten())
        loss.backward()
        optimizer.step(schedule(done()))
        losses.append(loss.detach())
        step += 1
        if step % 16 == 0:
            losses[-1].item()  # waits for the device, so that the clock is true
        if due():
            log(options.size, f"step {step}, {done():.0%}, loss {torch.stack(losses).mean():.4f}")
            losses = []
    pieces = step * options.rows * options.length
    log(options.size, f"masked language model: {step} steps, {pieces / 1e6:.0f} M pieces")
    export(model, options.size, options.out, options.vocabulary)


if __name__ == "__main__":
    main()
