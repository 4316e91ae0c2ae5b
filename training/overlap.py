"""Phase three learns to find shared words: chunks of feedback passages against candidates of the same hidden query.

    python -m training.overlap --corpus DIR --documents 20000 --init T=DIR --vocabulary models/tiny --steps 4000 --out DIR

On development sets the cosine of two texts' idf-weighted words, put in place of phase three, adds several times what any
model's relevance of a chunk adds (docs/models.md, section 13). So the target of a (chunk, passage) pair is

    z* = scale·cos(chunk, passage) + keep·z₀(chunk, passage) + shift,

cos over the sets of word pieces, weighted by their idf in the training text; z₀ is what the model said before.
Hidden queries (titles, keywords, questions, sentences, needs) search the passages by the same cosine; the first ten are cut into
windows, and a window's candidates are those of its hidden query. No teacher is asked, and no label.
"""

from __future__ import annotations

import argparse
import copy
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import torch
from torch import Tensor

from .clock import Clock, every, log
from .dataset import Ragged, build
from .groups import assemble
from .model import SIZES, CrossEncoder, export, load_weights
from .optim import Optimizer, schedule
from .queries import KEYWORDS, NEED, QUESTION, SENTENCE, TITLE
from .rank import POINTWISE_WEIGHT, agreement, ranking_loss
from .text import VOCABULARY_SIZE, WordPieces

HIDDEN = (QUESTION, TITLE, KEYWORDS, SENTENCE, NEED)
LISTED, FEEDBACK, CHUNKS_PER_QUERY = 100, 10, 4
CANDIDATES = 8
LONGEST_CHUNK, LONGEST_PASSAGE, LENGTH = 160, 208, 352


@dataclass(frozen=True)
class Target:
    scale: float
    shift: float
    keep: float

    def __call__(self, cosine: Tensor, before: Tensor | float) -> Tensor:
        return self.scale * cosine + self.keep * before + self.shift


class Words:
    """Sets of pieces as unit vectors, weighted by the inverse of how many passages hold them."""

    def __init__(self, passages: Ragged, pieces: list[str]) -> None:
        frequency = np.asarray((self.sets(passages) > 0).sum(0)).ravel()
        self.idf = np.log(len(passages) / (1 + frequency)).clip(0)
        self.idf[[len(p) == 1 and not p.isalnum() for p in pieces]] = 0

    @staticmethod
    def sets(texts: Ragged) -> sparse.csr_matrix:
        rows = np.repeat(np.arange(len(texts)), np.diff(texts.ends))
        ones = np.ones(len(rows), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, (rows, texts.values)), shape=(len(texts), VOCABULARY_SIZE))
        matrix.data[:] = 1
        return matrix

    def vectors(self, texts: Ragged) -> sparse.csr_matrix:
        weighted = self.sets(texts) @ sparse.diags(self.idf.astype(np.float32))
        norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(1)).ravel())
        return (sparse.diags(1 / np.maximum(norms, 1e-6)) @ weighted).tocsr()


def ragged(rows: list[np.ndarray]) -> Ragged:
    return Ragged.of(np.concatenate(rows), np.array([len(r) for r in rows]))


def search(queries: sparse.csr_matrix, passages: sparse.csr_matrix, block: int = 256) -> np.ndarray:
    """The first hundred passages of every query."""
    transposed = passages.T.tocsr()
    lists = []
    for start in range(0, queries.shape[0], block):
        scores = (queries[start : start + block] @ transposed).toarray()
        best = np.argpartition(-scores, LISTED, axis=1)[:, :LISTED]
        order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1)
        lists.append(np.take_along_axis(best, order, 1))
    return np.concatenate(lists)


def windows(passage: np.ndarray, continues: np.ndarray, words: int) -> list[np.ndarray]:
    """Windows of so many words, half overlapping."""
    starts = np.append(np.flatnonzero(~continues[passage]), len(passage))
    firsts = range(0, max(1, len(starts) - words), max(1, words // 2))
    return [passage[starts[i] : starts[min(i + words, len(starts) - 1)]][:LONGEST_CHUNK] for i in firsts]


class Pairs:
    """Chunks, the candidates of each, and the cosine of any pair of them."""

    def __init__(
        self,
        corpus: Path,
        vocabulary: Path,
        documents: int,
        hidden: int,
        words_per_chunk: tuple[int, int],
        rng: np.random.Generator,
    ) -> None:
        pieces = WordPieces(vocabulary)
        continues = np.array(pieces.continuation_flags())
        data = build(corpus, vocabulary, workers=os.cpu_count() or 1, limit=documents)
        passages = Ragged.of(data["passage"], data["passage_lengths"])
        queries = Ragged.of(data["query"], data["query_lengths"])
        words = Words(passages, pieces.pieces)
        self.vectors = words.vectors(passages)
        drawn = rng.permutation(np.flatnonzero(np.isin(data["query_kind"], HIDDEN)))[:hidden]
        asked = words.vectors(ragged([queries[i] for i in drawn]))
        listed = search(asked, self.vectors)
        chunks, owners, sources = [], [], []
        shortest, longest = words_per_chunk
        for query, numbers in enumerate(listed):
            # lengths are drawn evenly on a scale of ratios
            size = round(shortest * (longest / shortest) ** rng.random())
            mine = [
                (window, column)
                for column, number in enumerate(numbers[:FEEDBACK])
                for window in windows(passages[number], continues, size)
            ]
            suits = words.vectors(ragged([w for w, _ in mine])) @ asked[query].T
            # phase two prefers what resembles the query; a little luck keeps the chunks apart
            order = np.argsort(-(suits.toarray().ravel() + rng.gumbel(0, 0.05, len(mine))))
            for at in order[:CHUNKS_PER_QUERY]:
                chunks.append(mine[at][0])
                owners.append(query)
                sources.append(mine[at][1])
        self.listed, self.owners, self.sources = listed, np.array(owners), np.array(sources)
        self.chunk_vectors = words.vectors(ragged(chunks))
        self.chunks, self.chunk_lengths = padded(chunks, LONGEST_CHUNK)
        self.passages, self.passage_lengths = padded(
            [passages[i] for i in range(len(passages))], LONGEST_PASSAGE
        )
        log(f"{len(passages)} passages, {len(listed)} hidden queries, {len(chunks)} chunks")
        for at in range(0, len(chunks), max(1, len(chunks) // 6)):
            query = pieces.decode(queries[drawn[owners[at]]].tolist())
            log(f"[{query}] → [{pieces.decode(chunks[at].tolist())}]")

    def batch(self, groups: int, rng: np.random.Generator) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
        """Token ids of groups·8 pairs, and their cosines [groups, 8]: source, six of the list, one from elsewhere."""
        rows = rng.integers(len(self.owners), size=groups)
        ranks = (rng.random((groups, CANDIDATES - 1)) ** 2 * LISTED).astype(int)
        ranks[:, 0] = np.where(rng.random(groups) < 0.5, self.sources[rows], ranks[:, 0])
        numbers = self.listed[self.owners[rows][:, None], ranks]
        elsewhere = rng.integers(len(self.passages), size=(groups, 1))
        numbers = np.concatenate([numbers, elsewhere], 1).ravel()
        pairs = np.repeat(rows, CANDIDATES)
        cosine = np.asarray(self.chunk_vectors[pairs].multiply(self.vectors[numbers]).sum(1)).ravel()
        lengths = self.chunk_lengths[pairs] + self.passage_lengths[numbers] + 3
        longest = min(LENGTH, -(-int(lengths.max()) // 32) * 32)
        ids = assemble(
            self.chunks[pairs],
            self.chunk_lengths[pairs],
            self.passages[numbers],
            self.passage_lengths[numbers],
            longest,
        )
        return ids, torch.from_numpy(cosine.astype(np.float32)).view(groups, CANDIDATES)


def padded(rows: list[np.ndarray], width: int) -> tuple[Tensor, Tensor]:
    table = torch.zeros(len(rows), width, dtype=torch.int16)
    lengths = torch.tensor([min(width, len(r)) for r in rows])
    for number, row in enumerate(rows):
        table[number, : lengths[number]] = torch.from_numpy(row[:width].astype(np.int16))
    return table, lengths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--hidden", type=int, default=20_000)
    parser.add_argument("--init", required=True, help="SIZE=FOLDER")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--groups", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--words", type=int, nargs=2, default=(10, 13), help="shortest and longest chunk")
    parser.add_argument("--scale", type=float, default=20.0)
    parser.add_argument("--shift", type=float, default=-3.0)
    parser.add_argument("--keep", type=float, default=0.0, help="share of what the model said before")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    letter, folder = options.init.split("=", 1)
    model = CrossEncoder(SIZES[letter])
    load_weights(model, Path(folder))
    model.to(device).train()
    before = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = Optimizer(model, options.rate)
    pairs = Pairs(options.corpus, options.vocabulary, options.documents, options.hidden, tuple(options.words), rng)
    target = Target(options.scale, options.shift, options.keep)
    clock = Clock(options.seconds, options.steps)
    due = every(30)
    history: list[list[float]] = []
    while (done := clock.done()) < 1:
        ids, cosine = pairs.batch(options.groups, rng)
        on_device = [t.to(device) for t in ids]
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            z = model(*on_device).view(cosine.shape)
            said = before(*on_device).view(cosine.shape) if target.keep else 0.0
        wanted = target(cosine.to(device), said)
        listwise, pointwise = ranking_loss(z, wanted)
        (listwise + POINTWISE_WEIGHT * pointwise).backward()
        optimizer.step(schedule(done))
        history.append([listwise.item(), pointwise.item(), agreement(z.detach(), wanted).item()])
        if due():
            figures = np.mean(history, axis=0)
            history.clear()
            log(f"step {clock.step} {done:.2f}: listwise {figures[0]:.4f} pointwise {figures[1]:.4f} in order {figures[2]:.4f}")
            export(model, letter, options.out, options.vocabulary)
        clock.tick()
    export(model, letter, options.out, options.vocabulary)
    log(f"{clock.step} steps, {clock.step * options.groups} groups, to {options.out}")


if __name__ == "__main__":
    main()
