"""Phase three learns to find shared words.

    python -m training.overlap --pairs pairs.pt --init T=DIR --vocabulary models/tiny --seconds 120 --out DIR

On development sets the cosine of two texts' idf-weighted words, put in place of phase three, adds two to three times what
a model's relevance of a chunk adds (docs/models.md, section 13). So the target of a (chunk, passage) pair is

    z* = scale·cos(chunk, passage) + keep·z₀(chunk, passage) + article·[another passage of the chunk's article] + shift,

cos over the sets of word pieces, weighted by their idf in the training text; z₀ is what the model said before.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .clock import Clock, every, log
from .groups import assemble
from .model import SIZES, CrossEncoder, export, load_weights
from .optim import Optimizer, schedule
from .overlap_pairs import LISTED
from .rank import POINTWISE_WEIGHT, agreement, ranking_loss

CANDIDATES = 8
LONGEST = 352


@dataclass(frozen=True)
class Target:
    scale: float
    shift: float
    keep: float
    article: float

    def __call__(self, cosine: Tensor, before: Tensor | float, together: Tensor) -> Tensor:
        return self.scale * cosine + self.keep * before + self.article * together + self.shift


class Pairs:
    """The pairs of training.overlap_pairs on the device."""

    def __init__(self, path: Path, device: torch.device) -> None:
        data = {name: tensor.to(device) for name, tensor in torch.load(path, weights_only=True).items()}
        self.chunks, self.chunk_lengths = data["chunks"], data["chunk_lengths"]
        self.passages, self.passage_lengths = data["passages"], data["passage_lengths"]
        self.owners, self.columns, self.listed = data["owners"], data["columns"], data["listed"].long()
        self.weights = data["idf"].square()
        # passages of a family stand side by side
        self.families, sizes = data["families"].unique_consecutive(return_inverse=True, return_counts=True)[1:]
        self.family_sizes, self.family_starts = sizes, sizes.cumsum(0) - sizes
        # every other family's passages begin with their title, which would give the answer away (training.dataset)
        self.untitled = data["families"] % 2 == 1
        self.device = device

    def draw(self, groups: int) -> tuple[Tensor, Tensor]:
        """Chunk and passage numbers of groups·8 pairs: where the chunk was cut (half of the time), one of the same article,
        five of the list, one from elsewhere."""
        rows = torch.randint(len(self.owners), (groups,), device=self.device)
        ranks = (torch.rand(groups, CANDIDATES - 1, device=self.device).square() * LISTED).long()
        cut_from = torch.rand(groups, device=self.device) < 0.5
        ranks[:, 0] = torch.where(cut_from, self.columns[rows], ranks[:, 0])
        numbers = self.listed[self.owners[rows]].gather(1, ranks)
        family = self.families[self.cut_from(rows)]
        sibling = (torch.rand(groups, device=self.device) * self.family_sizes[family]).long()
        numbers[:, 1] = self.family_starts[family] + sibling
        elsewhere = torch.randint(len(self.passages), (groups, 1), device=self.device)
        return rows.repeat_interleave(CANDIDATES), torch.cat([numbers, elsewhere], 1).flatten()

    def cut_from(self, chunks: Tensor) -> Tensor:
        return self.listed[self.owners[chunks], self.columns[chunks]]

    def together(self, chunks: Tensor, passages: Tensor) -> Tensor:
        """1 for another passage of the article the chunk was cut from, else 0."""
        source = self.cut_from(chunks)
        same = self.families[source] == self.families[passages]
        return (same & (source != passages) & self.untitled[passages]).float()

    def tokens(self, chunks: Tensor, passages: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        lengths = self.chunk_lengths[chunks] + self.passage_lengths[passages] + 3
        longest = min(LONGEST, -(-int(lengths.max()) // 32) * 32)
        return assemble(
            self.chunks[chunks],
            self.chunk_lengths[chunks],
            self.passages[passages],
            self.passage_lengths[passages],
            longest,
        )

    def cosine(self, chunks: Tensor, passages: Tensor) -> Tensor:
        """Of idf-weighted sets of pieces: what both hold, over the lengths of both."""
        ours, ours_squared = self.distinct(self.chunks[chunks], self.chunk_lengths[chunks])
        theirs, theirs_squared = self.distinct(self.passages[passages], self.passage_lengths[passages])
        found = (ours[:, :, None] == theirs[:, None, :]).any(2) & (ours >= 0)
        shared = torch.where(found, self.weights[ours.clamp(min=0)], 0.0).sum(1)
        return shared / (ours_squared * theirs_squared).sqrt().clamp(min=1e-6)

    def distinct(self, table: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Piece numbers in order, repetitions and padding as -1; and the sum of the squared weights of the rest."""
        column = torch.arange(table.shape[1], device=self.device)[None]
        ids = torch.where(column < lengths[:, None], table.long(), -1).sort(1).values
        again = torch.zeros_like(ids, dtype=torch.bool)
        again[:, 1:] = ids[:, 1:] == ids[:, :-1]
        ids = ids.masked_fill(again, -1)
        return ids, torch.where(ids >= 0, self.weights[ids.clamp(min=0)], 0.0).sum(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--init", required=True, help="SIZE=FOLDER")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--groups", type=int, default=96, help="of a step; small for a trial on a CPU")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--scale", type=float, default=20.0)
    parser.add_argument("--shift", type=float, default=-3.0)
    parser.add_argument("--keep", type=float, default=0.0, help="share of what the model said before")
    parser.add_argument("--article", type=float, default=0.0, help="what belonging to the same article is worth")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    letter, folder = options.init.split("=", 1)
    model = CrossEncoder(SIZES[letter])
    load_weights(model, Path(folder))
    model.to(device).train()
    before = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = Optimizer(model, options.rate)
    pairs = Pairs(options.pairs, device)
    target = Target(options.scale, options.shift, options.keep, options.article)
    clock = Clock(options.seconds, options.steps)
    due = every(15)
    history: list[Tensor] = []
    while (done := clock.done()) < 1:
        chunks, passages = pairs.draw(options.groups)
        batch = pairs.tokens(chunks, passages)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            z = model(*batch).view(-1, CANDIDATES)
            said = before(*batch).view(-1, CANDIDATES) if target.keep else 0.0
        shape = (-1, CANDIDATES)
        together = pairs.together(chunks, passages).view(shape)
        wanted = target(pairs.cosine(chunks, passages).view(shape), said, together)
        listwise, pointwise = ranking_loss(z, wanted)
        (listwise + POINTWISE_WEIGHT * pointwise).backward()
        optimizer.step(schedule(done))
        history.append(torch.stack([listwise, pointwise, agreement(z, wanted)]).detach())
        clock.tick()
        if due():
            figures = " ".join(f"{m:.4f}" for m in torch.stack(history).mean(0).tolist())
            log(f"step {clock.step} done {done:.2f}: listwise, pointwise, in order: {figures}")
            history = []
    if history:
        log("last:", " ".join(f"{m:.4f}" for m in torch.stack(history).mean(0).tolist()))
    log(f"{clock.step} steps, {clock.step * options.groups} groups of {CANDIDATES}")
    export(model, letter, options.out, options.vocabulary)


if __name__ == "__main__":
    main()
