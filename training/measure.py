"""Queries with their raw scores (training.score), calibration and the paired t-test."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

def student_t_p(t: float, degrees: int) -> float:
    """Two-tailed p of Student's t, by Simpson integration of the density."""
    if not math.isfinite(t):
        return 0.0
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(
        degrees * math.pi
    )
    x = np.linspace(0, abs(t), 4001)
    density = constant * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
    weights = np.ones(4001)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return max(0.0, 1 - 2 * float((weights * density).sum() * (x[1] - x[0]) / 3))


def paired_t_test(a: np.ndarray, b: np.ndarray) -> float:
    """Two-tailed p."""
    difference = a - b
    deviation = difference.std(ddof=1)
    if deviation == 0:
        return 1.0
    return student_t_p(difference.mean() / (deviation / math.sqrt(len(difference))), len(difference) - 1)


@dataclass
class Query:
    """One query's candidates, in descending order of document id (trec_eval breaks ties that way)."""

    gains: np.ndarray
    ideal: float
    initial: np.ndarray
    z: np.ndarray
    chunk_z: np.ndarray
    """Scores of the chosen chunks."""
    chunk_document_z: np.ndarray
    """[candidates, chunks]"""


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z.astype(np.float64)))


def log_sigmoid(z: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0, -z.astype(np.float64))


@dataclass(frozen=True)
class Calibration:
    """z → scale·z + shift of a model's log-odds."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, z: np.ndarray) -> np.ndarray:
        return self.scale * z + self.shift


def read(sets: Path, scores: Path, variant: str) -> dict[str, list[Query]]:
    """The queries of each collection, with the scores of a variant."""
    with gzip.open(sets, "rt", encoding="utf-8") as file:
        entries = json.load(file)
    data = np.load(scores)
    out: dict[str, list[Query]] = {}
    for name, entry in entries.items():
        z = data[f"{name}/{variant[0]}/z"]
        chunk_z = data[f"{name}/{variant[:2]}/chunks"]
        document_z = data[f"{name}/{variant}/z"]
        out[name] = []
        at = 0
        scored = itertools.islice(entry["run"].items(), len(data[f"{name}/counts"]))
        for number, (query, whole_run) in enumerate(scored):
            run = whole_run[: data[f"{name}/counts"][number]]
            ids = [entry["ids"][d] for d, _ in run]
            levels = entry["qrels"][query]
            order = np.array(sorted(range(len(ids)), key=lambda i: ids[i], reverse=True), dtype=np.int64)
            gains = np.array([max(0, levels.get(i, 0)) for i in ids], dtype=np.float64)
            positive = sorted((g for g in levels.values() if g > 0), reverse=True)
            ideal = sum(g / math.log2(k + 2) for k, g in enumerate(positive[:20]))
            valid = ~np.isnan(chunk_z[number])
            out[name].append(
                Query(
                    gains[order],
                    ideal,
                    np.array([s for _, s in run])[order],
                    z[at : at + len(ids)][order],
                    chunk_z[number][valid],
                    document_z[at : at + len(ids)][order][:, valid].astype(np.float32),
                )
            )
            at += len(ids)
    return out
