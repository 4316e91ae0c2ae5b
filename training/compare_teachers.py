"""Encoders, their mixtures and shared words as teachers, on the development sets.

    python -m training.compare_teachers --sets dev.json.gz --teacher DIR --vocabulary models/tiny

The rule: of all mixtures of the encoders in steps of a quarter, with shared words at four weights, the one with the best mean
nDCG@20 of its target (best passage of each candidate, without the first stage), where every collection counts the same. It is
written to mixture.json, scaled to the mean and the deviation that MiniLM's cosine has on these pairs.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
from pathlib import Path

import numpy as np
import torch

from .mine import inverse_document_frequency, passage_weights, query_terms, table
from .dataset import Ragged
from .passages import MAX_PASSAGE_PIECES
from .progress import log
from .teacher import PASSAGE, QUESTION, Teacher
from .text import WordPieces

ENCODERS = ("minilm", "bge", "e5")
LEXICAL = (0.0, 2.0, 4.0, 8.0)
COSINE, CENTRE = 16.0, 0.42
STEPS = 4


def rows(texts: list[str], pieces: WordPieces, width: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    encoded = pieces.encode(texts)
    flat = np.array([i for ids in encoded for i in ids], dtype=np.uint16)
    values, lengths = table(Ragged.of(flat, np.array([len(ids) for ids in encoded])), width)
    return torch.from_numpy(values).to(device), torch.from_numpy(lengths).to(device)


class Pairs:
    """Cosines by encoder and word shares of every (query, passage) pair of one collection."""

    def __init__(self, entry: dict, limit: int, teacher: Teacher, pieces: WordPieces, device: torch.device) -> None:
        self.names = list(entry["run"])[:limit]
        first: dict[int, int] = {}
        texts: list[str] = []
        for number in {d for q in self.names for d, _ in entry["run"][q]}:
            first[number] = len(texts)
            texts += entry["passages"][str(number)]
        queries = [entry["queries"][q] for q in self.names]
        passage_vectors, query_vectors = teacher.encode_each(texts, PASSAGE), teacher.encode_each(queries, QUESTION)
        passage_rows, lengths = rows(texts, pieces, MAX_PASSAGE_PIECES, device)
        query_rows, _ = rows(queries, pieces, 126, device)
        idf = inverse_document_frequency(passage_rows)
        mean_length = float(lengths.float().mean())
        present, total = query_terms(query_rows, idf)
        self.cosines, self.shares, self.ends, self.gains, self.ideals = [], [], [], [], []
        for row, name in enumerate(self.names):
            hits = [d for d, _ in entry["run"][name]]
            numbers = [first[d] + i for d in hits for i in range(len(entry["passages"][str(d)]))]
            ends = np.cumsum([len(entry["passages"][str(d)]) for d in hits])
            at = torch.tensor(numbers, device=device)
            cosines = [(passage_vectors[e][at].float() @ query_vectors[e][row].float()).cpu().numpy() for e in ENCODERS]
            weights = passage_weights(passage_rows[at], lengths[at], idf, mean_length)
            levels = entry["qrels"][name]
            gains = np.array([max(0, levels.get(entry["ids"][d], 0)) for d in hits], dtype=np.float64)
            best = sorted((g for g in levels.values() if g > 0), reverse=True)[:20]
            self.cosines.append(np.stack(cosines))
            self.shares.append(((weights @ present[row]) / total[row]).cpu().numpy())
            self.ends.append(ends)
            self.gains.append(gains)
            self.ideals.append(sum(g / math.log2(k + 2) for k, g in enumerate(best)))

    def ndcg20(self, weights: np.ndarray, lexical: float) -> float:
        """Mean nDCG@20 of the target that is `weights` · cosines + `lexical` · share."""
        total = 0.0
        for cosines, shares, ends, gains, ideal in zip(self.cosines, self.shares, self.ends, self.gains, self.ideals, strict=True):
            scores = weights @ cosines + lexical * shares
            best = np.maximum.reduceat(scores, np.concatenate([[0], ends[:-1]]))
            order = np.argsort(-best, kind="stable")[:20]
            total += (gains[order] / np.log2(np.arange(len(order)) + 2)).sum() / ideal
        return total / len(self.names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=200)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pieces = WordPieces(options.vocabulary)
    teacher = Teacher(options.teacher, device, {name: 1.0 for name in ENCODERS})
    with gzip.open(options.sets, "rt", encoding="utf-8") as file:
        sets = json.load(file)
    collections = {n: Pairs(entry, options.limit, teacher, pieces, device) for n, entry in sets.items()}
    moments = [
        (np.concatenate(c.cosines, axis=1).mean(1), np.concatenate(c.cosines, axis=1).var(1)) for c in collections.values()
    ]
    mean, deviation = np.mean([m for m, _ in moments], 0), np.sqrt(np.mean([v for _, v in moments], 0))
    log("cosines, mean and deviation:", dict(zip(ENCODERS, zip(mean.round(3), deviation.round(3), strict=True), strict=True)))

    def scaled(mixture: np.ndarray) -> tuple[np.ndarray, float]:
        """Weights of the cosines, and the constant, that give MiniLM's mean and deviation."""
        weights = mixture / deviation
        variance = np.mean([(np.concatenate([weights @ x for x in c.cosines])).var() for c in collections.values()])
        weights = weights * deviation[0] / math.sqrt(variance)
        return weights, float(mean[0] - weights @ mean)

    results = []
    for parts in itertools.product(range(STEPS + 1), repeat=len(ENCODERS)):
        if sum(parts) != STEPS:
            continue
        weights, constant = scaled(np.array(parts) / STEPS)
        for lexical in LEXICAL:
            each = {n: c.ndcg20(COSINE * weights, lexical) for n, c in collections.items()}
            results.append((float(np.mean(list(each.values()))), parts, lexical, weights, constant, each))
    results.sort(key=lambda r: -r[0])
    for value, parts, lexical, _, _, each in [*results[:12], *(r for r in results if max(r[1]) == STEPS and r[2] in (0, 8))]:
        log(f"{value:.4f}", dict(zip(ENCODERS, parts, strict=True)), f"words {lexical}", " ".join(f"{n} {v:.3f}" for n, v in each.items()))
    _, _, lexical, weights, constant, _ = results[0]
    chosen = {n: float(w) for n, w in zip(ENCODERS, weights, strict=True) if w > 0}
    mixture = {"weights": chosen, "constant": constant, "lexical": lexical}
    (options.teacher / "mixture.json").write_text(json.dumps(mixture, indent=1) + "\n")
    log("written", mixture)


if __name__ == "__main__":
    main()
