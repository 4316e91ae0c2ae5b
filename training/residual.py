"""Phase three learns what the ranking still lacks: with real labels, and with phases one and two as they are.

    python -m training.residual --sets wikipedia-train.json.gz --development dkl-dev.json.gz --first S=models/small \
        --third T=models/tiny --vocabulary models/tiny --epochs 2 --out DIR

Learns from collections made for it (training.residual_sets) and measures on development sets; training.residual_folds does
the same in five folds of a collection. Losses, over some documents of a query:

    listwise  softmax cross-entropy of rel(c, d) for every chunk c
    residual  softmax cross-entropy of β·ln((1−α)·rel(q, d) + α·Σ w·rel(c, d)) + (1−β)·initial, the final score

With --judged a share of the chunks, drawn anew in every step, are cut from documents judged relevant instead (which are then
left out of the documents, since a chunk fits the document it was cut from): more feedback to learn from than one set of chunks a query.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .clock import log
from .groups import assemble
from .model import CrossEncoder, export
from .score import MAX_LENGTH, MAX_QUERY_PIECES, Pipeline, Texts, load_models, score
from .text import WordPieces, windows

ALPHAS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
BETAS = (0.8, 0.85, 0.9, 0.95, 1.0)
GRID = list(itertools.product(ALPHAS, BETAS))
SAMPLED = 24


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z.astype(np.float64)))


@dataclass(frozen=True)
class JudgedChunk:
    """A chunk of a relevant candidate: its number, the candidate's row, phase two's score."""

    number: int
    row: int
    z: float


class Feedback:
    """A collection after phases one and two: everything phase three needs, query by query."""

    def __init__(self, entry: dict, pipeline: Pipeline, letters: str) -> None:
        self.pipeline, self.letters = pipeline, letters
        self.z, self.best = pipeline.phase_one(letters[0])
        self.chosen, chunk_z, tokens = pipeline.phase_two(letters)
        self.chunks = Texts.__new__(Texts)
        self.chunks.table, self.chunks.lengths = tokens.table, np.minimum(tokens.lengths, MAX_QUERY_PIECES)
        self.chunks.device_lengths = tokens.device_lengths.clamp(max=MAX_QUERY_PIECES)
        weights = np.nan_to_num(np.exp(sigmoid(chunk_z)))
        self.chosen_z = chunk_z
        self.weights = weights / np.maximum(weights.sum(1, keepdims=True), 1e-9)
        self.ends = np.cumsum(pipeline.counts)
        self.gains, self.ideal, self.ties = [], [], []
        for query in pipeline.queries:
            levels = entry["qrels"][query]
            ids = [entry["ids"][d] for d, _ in entry["run"][query]]
            self.gains.append(np.array([max(0, levels.get(i, 0)) for i in ids], dtype=np.float64))
            positive = sorted((g for g in levels.values() if g > 0), reverse=True)
            self.ideal.append(sum(g / math.log2(k + 2) for k, g in enumerate(positive[:20])))
            self.ties.append(np.array(sorted(range(len(ids)), key=lambda i: ids[i], reverse=True)))

        self.judged: list[list[JudgedChunk]] = [[] for _ in pipeline.queries]
        self.judged_chunks = self.chunks

    def cut_judged(self) -> None:
        """The chunks of every relevant candidate, with phase two's score of each."""
        texts, owners, rows = [], [], []
        for query in range(len(self)):
            start = self.candidates(query).start
            for row in (start + np.flatnonzero(self.gains[query] > 0)).tolist():
                words = self.pipeline.passage_texts[self.best[row]].split()
                size = self.pipeline.chunk_words
                found = [" ".join(w) for w in windows(words, size, size // 2)]
                texts += found
                owners += [query] * len(found)
                rows += [row] * len(found)
        self.judged_chunks = Texts(self.pipeline.pieces.encode(texts), MAX_QUERY_PIECES, self.pipeline.device)
        pairs = np.stack([np.array(owners), np.arange(len(owners))], 1)
        z = score(
            self.pipeline.models[self.letters[1]], self.pipeline.query_tokens, self.judged_chunks, pairs
        )
        for number, (query, row) in enumerate(zip(owners, rows, strict=True)):
            self.judged[query].append(JudgedChunk(number, row, float(z[number])))

    def __len__(self) -> int:
        return len(self.ends)

    def candidates(self, query: int) -> slice:
        return slice(self.ends[query] - self.pipeline.counts[query], self.ends[query])

    def phase_three(self, model: CrossEncoder, queries: Iterable[int]) -> dict[int, np.ndarray]:
        """rel(C, d) of every candidate of the queries."""
        queries = list(queries)
        rows = [np.arange(self.ends[q])[self.candidates(q)] for q in queries]
        pairs = [
            np.stack(
                [
                    np.repeat(self.chosen[q][None], len(r), 0),
                    np.repeat(self.best[r][:, None], self.chosen.shape[1], 1),
                ],
                2,
            )
            for q, r in zip(queries, rows, strict=True)
        ]
        flat = np.concatenate([p.reshape(-1, 2) for p in pairs])
        held = flat[:, 0] >= 0
        z = np.full(len(flat), -50.0)
        z[held] = score(model, self.chunks, self.pipeline.passage_tokens, flat[held])
        out, at = {}, 0
        for q, r in zip(queries, rows, strict=True):
            size = len(r) * self.chosen.shape[1]
            out[q] = sigmoid(z[at : at + size]).reshape(len(r), -1) @ self.weights[q]
            at += size
        return out

    def ndcg20(self, query: int, scores: np.ndarray) -> np.ndarray:
        """Of rows of scores [systems, candidates]."""
        ties = self.ties[query]
        top = ties[np.argsort(-scores[:, ties], 1, kind="stable")[:, :20]]
        discounts = 1 / np.log2(np.arange(top.shape[1]) + 2)
        return (self.gains[query][top] * discounts).sum(1) / self.ideal[query]

    def measure(self, query: int, expansion: np.ndarray) -> np.ndarray:
        """nDCG@20 at every point of GRID; α of 0 is MaxP."""
        here = self.candidates(query)
        p, initial = sigmoid(self.z[here]), self.pipeline.initial[here]
        rows = [b * np.log((1 - a) * p + a * expansion + 1e-30) + (1 - b) * initial for a, b in GRID]
        return self.ndcg20(query, np.stack(rows))


def tokens(first: Texts, second: Texts, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lengths = first.device_lengths[a] + second.device_lengths[b] + 3
    longest = min(MAX_LENGTH, -(-int(lengths.max()) // 32) * 32)
    return assemble(
        first.table[a], first.device_lengths[a], second.table[b], second.device_lengths[b], longest
    )


def draw(
    feedback: Feedback,
    query: int,
    rng: random.Random,
    sampled: int = SAMPLED,
    without: frozenset[int] = frozenset(),
) -> tuple[list[int], np.ndarray]:
    """Candidates, at most half of them relevant; half of the others from the first thirty of phase one."""
    here = feedback.candidates(query)
    gains = feedback.gains[query]
    relevant = [i for i in np.flatnonzero(gains > 0).tolist() if here.start + i not in without]
    others = [int(i) for i in np.argsort(-feedback.z[here]) if gains[i] == 0]
    relevant = rng.sample(relevant, min(len(relevant), sampled // 2))
    room = sampled - len(relevant)
    hard = rng.sample(others[:30], min(len(others[:30]), room // 2))
    rest = [i for i in others if i not in set(hard)]
    chosen = relevant + hard + rng.sample(rest, min(len(rest), room - len(hard)))
    return [here.start + i for i in chosen], gains[chosen] > 0


def swap(
    feedback: Feedback, query: int, rng: random.Random, share: float
) -> tuple[list[tuple[bool, int]], np.ndarray, frozenset[int]]:
    """The chunks of a step as (judged?, number), their weights, and the rows that judged ones were cut from.

    One relevant candidate at least is not cut from, so that there is something to find.
    """
    numbers, z = [], []
    sources: set[int] = set()
    pool = feedback.judged[query]
    most = int((feedback.gains[query] > 0).sum()) - 1
    for number, chunk_z in zip(feedback.chosen[query], feedback.chosen_z[query], strict=True):
        if number < 0:
            continue
        other = rng.choice(pool) if pool and rng.random() < share else None
        if other and (other.row in sources or len(sources) < most):
            sources.add(other.row)
            numbers.append((True, other.number))
            z.append(other.z)
        else:
            numbers.append((False, int(number)))
            z.append(float(chunk_z))
    weights = np.exp(sigmoid(np.array(z)))
    return numbers, weights / weights.sum(), frozenset(sources)


def query_loss(
    feedback: Feedback,
    weights: np.ndarray,
    rows: list[int],
    relevant: np.ndarray,
    z: Tensor,
    loss: str,
    alpha: float,
    beta: float,
) -> Tensor:
    """z [documents, chunks] of rel(c, d)."""
    labels = torch.from_numpy(relevant).to(z.device)
    if loss == "listwise":
        return -torch.log_softmax(z, 0)[labels].mean()
    device = z.device
    p = torch.from_numpy(sigmoid(feedback.z[rows])).float().to(device)
    initial = torch.from_numpy(feedback.pipeline.initial[rows]).float().to(device)
    mixed = torch.sigmoid(z) @ torch.from_numpy(weights).float().to(device)
    final = beta * torch.log((1 - alpha) * p + alpha * mixed + 1e-9) + (1 - beta) * initial
    return -torch.log_softmax(final, 0)[labels].mean()


def set_loss(
    model: CrossEncoder,
    feedback: Feedback,
    queries: list[int],
    loss: str,
    options: argparse.Namespace,
    rng: random.Random,
) -> Tensor:
    """Summed over some queries of a collection, whose pairs are scored together."""
    device = next(model.parameters()).device
    passages = feedback.pipeline.passage_tokens
    drawn, parts, sizes = [], [], []
    for query in queries:
        if loss == "query":
            numbers, weights, sources = [(False, query)], np.ones(1), frozenset()
        else:
            numbers, weights, sources = swap(feedback, query, rng, options.judged)
        rows, relevant = draw(feedback, query, rng, options.sampled, sources)
        drawn.append((weights, rows, relevant))
        parts += [(judged, number, feedback.best[row]) for row in rows for judged, number in numbers]
        sizes.append(len(rows) * len(numbers))
    ours = feedback.pipeline.query_tokens if loss == "query" else feedback.chunks
    judged = torch.tensor([part[0] for part in parts], device=device)
    z = torch.empty(len(parts), device=device)
    for first, mine in ((ours, ~judged), (feedback.judged_chunks, judged)):
        if mine.any():
            a, b = (torch.tensor([part[k] for part in parts], device=device)[mine] for k in (1, 2))
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                z = z.masked_scatter(mine, model(*tokens(first, passages, a, b)).float())
    kind = "listwise" if loss == "query" else loss
    return torch.stack(
        [
            query_loss(
                feedback, weights, rows, relevant, part.view(len(rows), -1), kind, options.alpha, options.beta
            )
            for (weights, rows, relevant), part in zip(drawn, z.split(sizes), strict=True)
        ]
    ).sum()


def fit(
    model: CrossEncoder,
    sets: list[tuple[Feedback, list[int]]],
    options: argparse.Namespace,
    loss: str,
    rate: float,
    after_epoch: Callable[[int], None],
    seed: int,
) -> None:
    """Trains phase three; `loss` "query" trains phase one instead, on the query itself."""
    device = next(model.parameters()).device
    rng = random.Random(seed)
    torch.manual_seed(seed)
    for feedback, _ in sets:
        if options.judged and not any(feedback.judged):
            feedback.cut_judged()
    tasks = [
        (f, q) for f, queries in sets for q in queries if (f.gains[q] > 0).any() and (f.chosen[q] >= 0).any()
    ]
    no_decay = [p for n, p in model.named_parameters() if p.ndim < 2]
    decay = [p for p in model.parameters() if p.ndim >= 2]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}],
        lr=rate,
        fused=device.type == "cuda",
    )
    steps, step = options.epochs * max(1, len(tasks) // options.queries), 0
    for epoch in range(options.epochs):
        rng.shuffle(tasks)
        model.train()
        total, before = [], step
        for at in range(0, len(tasks) - options.queries + 1, options.queries):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / (0.1 * steps + 1), (steps - step) / (0.9 * steps))
            batch = tasks[at : at + options.queries]
            for feedback in {id(f): f for f, _ in batch}.values():
                value = set_loss(model, feedback, [q for f, q in batch if f is feedback], loss, options, rng)
                (value / len(batch)).backward()
                total.append(value.detach() / len(batch))
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
        model.eval()
        log(
            f"{loss} {rate:g} epoch {epoch + 1}: {torch.stack(total).sum() / max(1, step - before):.4f}, {step} steps"
        )
        after_epoch(epoch + 1)


def shorten(entry: dict, queries: int | None) -> None:
    """The first hundred candidates of each query, of some queries, and their passages alone."""
    entry["run"] = {q: entry["run"][q][:100] for q in list(entry["run"])[:queries]}
    found = {str(d) for run in entry["run"].values() for d, _ in run}
    entry["passages"] = {d: p for d, p in entry["passages"].items() if d in found}


def run_training(
    sets: dict, pieces: WordPieces, models: dict[str, CrossEncoder], options: argparse.Namespace
) -> None:
    device = next(models["third"].parameters()).device
    first = options.first[0]

    def prepare(entries: dict, limit: int | None) -> dict[str, Feedback]:
        out = {}
        for name, entry in entries.items():
            shorten(entry, limit)
            made = Pipeline(
                entry, pieces, {first: models[first]}, device, options.chunk_words, options.chunks
            )
            out[name] = Feedback(entry, made, first + first)
        return out

    with gzip.open(options.development, "rt", encoding="utf-8") as file:
        development = prepare(json.load(file), options.development_limit)
    log("development sets ready")
    training = prepare(sets, options.limit)
    log("training sets ready", sum(map(len, training.values())), "queries")
    third = models["third"]

    def judge(epoch: int) -> None:
        names, gains = list(development), []
        for name in names:
            values = development[name].phase_three(third, range(len(development[name])))
            gains.append(np.stack([development[name].measure(q, v) for q, v in values.items()]).mean(0))
        table = np.stack(gains)
        base = table[:, GRID.index((0.0, 0.95))]
        for point in (i for i, (a, b) in enumerate(GRID) if a in (0.1, 0.15, 0.2, 0.3) and b == 0.95):
            difference = table[:, point] - base
            parts = " ".join(f"{n} {d:+.4f}" for n, d in zip(names, difference, strict=True))
            log(
                f"epoch {epoch} α {GRID[point][0]}: MaxP {base.mean():.4f} {difference.mean():+.4f} | {parts}"
            )

    judge(0)
    fit(
        third,
        [(f, list(range(len(f)))) for f in training.values()],
        options,
        options.loss,
        options.rate,
        judge,
        1,
    )
    export(third, options.third[0], options.out, options.vocabulary)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only the first queries of each collection")
    parser.add_argument("--first", required=True, help="SIZE=FOLDER, phases one and two")
    parser.add_argument("--third", required=True, help="SIZE=FOLDER, phase three")
    parser.add_argument("--chunk-words", type=int, default=50)
    parser.add_argument("--chunks", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--queries", type=int, default=4, help="of a step")
    parser.add_argument("--sampled", type=int, default=SAMPLED, help="candidates of a query in a step")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--alpha", type=float, default=0.3, help="in the residual loss")
    parser.add_argument("--beta", type=float, default=0.95)
    parser.add_argument(
        "--judged", type=float, default=0.0, help="share of chunks cut from relevant documents"
    )
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)


def load(options: argparse.Namespace) -> tuple[dict, WordPieces, dict[str, CrossEncoder]]:
    """Collections, vocabulary, and the models: one under its letter, phase three's as "third"."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    size, folder = options.third.split("=", 1)
    with gzip.open(options.sets, "rt", encoding="utf-8") as file:
        sets = json.load(file)
    models = load_models([options.first, f"third:{size}={folder}"], device)
    return sets, WordPieces(options.vocabulary), models


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--development", type=Path, required=True)
    parser.add_argument("--development-limit", type=int, default=200)
    parser.add_argument("--loss", default="residual", choices=["listwise", "residual"])
    options = parser.parse_args()
    sets, pieces, models = load(options)
    start = time.time()
    run_training(sets, pieces, models, options)
    log(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
