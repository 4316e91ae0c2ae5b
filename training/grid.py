"""The search for calibrations, α and β on development sets, and the table of one setting.

    python -m training.grid search --sets dev.json.gz --scores scores.npz --variant SST
    python -m training.grid third --sets dev.json.gz --scores scores.npz --variant SST --first .5 -2 --beta .95
    python -m training.grid report --sets test.json.gz --scores scores.npz --variant SST \
        --first .5 -2 --third .5 -1.5 --alpha .15 --beta .95

`search` varies everything, `third` the calibration of phase three and α. Calibrations are z → scale·z + shift of the
model of phases one and two (`first`) and of phase three (`third`). Every collection counts the same.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from pathlib import Path

import numpy as np

from .measure import Calibration, log_sigmoid, paired_t_test, read, sigmoid

FIRST = list(itertools.product((0.3, 0.4, 0.5, 0.6, 0.7, 1.0), (-5.0, -3.0, -2.5, -2.0, -1.5, -1.0, 0.0)))
THIRD = list(itertools.product((0.2, 0.3, 0.4, 0.6), (-4.0, -3.0, -2.0, -1.0, 0.0)))
ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4)
BETAS = (0.85, 0.9, 0.95)
THIRD_ALONE = list(
    itertools.product((0.2, 0.3, 0.4, 0.5, 0.7, 1.0), (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 1.0))
)
ALPHAS_ALONE = (0.1, 0.15, 0.2, 0.3, 0.4)
PADDING = -50.0


class Table:
    """All queries of all collections [queries, candidates], candidates in descending order of id (ties)."""

    def __init__(self, sets: Path, scores: Path, variant: str, most: int | None = None) -> None:
        collections = read(sets, scores, variant)
        self.names = list(collections)
        queries = [q for name in self.names for q in collections[name]]
        self.owner = np.repeat(np.arange(len(self.names)), [len(collections[n]) for n in self.names])
        shape = len(queries), max(len(q.z) for q in queries)
        chunks = max(q.chunk_document_z.shape[1] for q in queries)
        chunks = min(chunks, most or chunks)
        self.z = np.full(shape, PADDING, np.float32)
        self.initial, self.gains = np.full(shape, -np.inf, np.float32), np.zeros(shape, np.float32)
        self.chunk_z = np.full((shape[0], chunks), np.nan, np.float32)
        self.chunk_document_z = np.full((*shape, chunks), PADDING, np.float32)
        self.ideal = np.array([q.ideal for q in queries])
        for row, query in enumerate(queries):
            count, found = query.chunk_document_z.shape
            found = min(found, chunks)
            self.z[row, :count], self.initial[row, :count] = query.z, query.initial
            self.gains[row, :count] = query.gains
            self.chunk_z[row, :found] = query.chunk_z[:found]
            self.chunk_document_z[row, :count, :found] = query.chunk_document_z[:, :found]

    def max_p(self, first: Calibration, beta: float) -> np.ndarray:
        return beta * log_sigmoid(first(self.z)) + (1 - beta) * self.initial

    def expansion(self, first: Calibration, third: Calibration) -> np.ndarray:
        """rel(C, d) [queries, candidates]."""
        weights = np.nan_to_num(np.exp(sigmoid(first(self.chunk_z)) - 1))
        weights /= np.maximum(weights.sum(1, keepdims=True), 1e-9)
        return np.einsum("qdc,qc->qd", sigmoid(third(self.chunk_document_z)), weights)

    def bert_qe(self, first: Calibration, expansion: np.ndarray, alpha: float, beta: float) -> np.ndarray:
        share = np.where(np.isnan(self.chunk_z).all(1), 0.0, alpha)[:, None]
        combined = (1 - share) * sigmoid(first(self.z)) + share * expansion
        return beta * np.log(combined + 1e-30) + (1 - beta) * self.initial

    def ndcg20(self, scores: np.ndarray) -> np.ndarray:
        top = np.argsort(-scores, 1, kind="stable")[:, :20]
        return (np.take_along_axis(self.gains, top, 1) / np.log2(np.arange(top.shape[1]) + 2)).sum(
            1
        ) / self.ideal

    def average_precision(self, scores: np.ndarray, relevant: np.ndarray) -> np.ndarray:
        order = np.argsort(-scores, 1, kind="stable")
        hit = np.take_along_axis(self.gains, order, 1) > 0
        return (hit * hit.cumsum(1) / np.arange(1, hit.shape[1] + 1)).sum(1) / relevant

    def means(self, values: np.ndarray) -> np.ndarray:
        """One mean per collection."""
        return np.array([values[self.owner == k].mean() for k in range(len(self.names))])


def relevant_counts(sets: Path, scores: Path, names: list[str]) -> np.ndarray:
    """The number of relevant documents of each query, retrieved or not."""
    with gzip.open(sets, "rt", encoding="utf-8") as file:
        entries = json.load(file)
    data = np.load(scores)
    return np.array(
        [
            sum(level > 0 for level in entries[name]["qrels"][query].values())
            for name in names
            for query in itertools.islice(entries[name]["run"], len(data[f"{name}/counts"]))
        ],
        dtype=float,
    )


def search(table: Table, same: bool) -> None:
    """The best settings by the mean of BERT-QE. `same`: one model and one calibration for all phases."""
    print(" ".join(table.names))
    found = []
    for first in (Calibration(*c) for c in FIRST):
        flat = [table.means(table.ndcg20(table.max_p(first, beta))) for beta in BETAS]
        base = max(flat, key=np.mean)
        for third in [first] if same else [Calibration(*c) for c in THIRD]:
            expansion = table.expansion(first, third)
            for alpha, beta in itertools.product(ALPHAS, BETAS):
                deep = table.means(table.ndcg20(table.bert_qe(first, expansion, alpha, beta)))
                found.append((deep.mean(), base.mean(), first, third, alpha, beta, deep - base))
    for value, base, first, third, alpha, beta, gains in sorted(found, key=lambda f: -f[0])[:20]:
        print(f"{value:.4f} (MaxP {base:.4f}) {first} {third} alpha {alpha} beta {beta}", end=" ")
        print(" ".join(f"{g:+.4f}" for g in gains))


def third_alone(table: Table, first: Calibration, beta: float) -> None:
    """The best calibrations of phase three and α, by the mean gain of BERT-QE over MaxP."""
    base = table.means(table.ndcg20(table.max_p(first, beta)))
    found = []
    for third in (Calibration(*c) for c in THIRD_ALONE):
        expansion = table.expansion(first, third)
        for alpha in ALPHAS_ALONE:
            gains = table.means(table.ndcg20(table.bert_qe(first, expansion, alpha, beta))) - base
            found.append((gains.mean(), third, alpha, gains))
    found.sort(key=lambda f: -f[0])
    print(f"MaxP {base.mean():.4f};", " ".join(table.names))
    best_of = [next(f for f in found if f[2] == alpha) for alpha in ALPHAS_ALONE]
    for value, third, alpha, gains in found[:3] + best_of:
        print(f"{value:+.4f} {third} alpha {alpha}:", " ".join(f"{g:+.4f}" for g in gains))


def report(table: Table, relevant: np.ndarray, options: argparse.Namespace) -> None:
    first, third = Calibration(*options.first), Calibration(*options.third)
    flat = table.max_p(first, options.beta)
    expansion = table.expansion(first, third)
    deep = table.bert_qe(first, expansion, options.alpha, options.beta)
    systems = {"initial": table.initial, "alone": table.z, "MaxP": flat, "BERT-QE": deep}
    ndcg = {name: table.ndcg20(scores) for name, scores in systems.items()}
    precision = {name: table.average_precision(scores, relevant) for name, scores in systems.items()}
    print("| collection | initial | alone | MaxP | p | BERT-QE | p | AP: initial | MaxP | BERT-QE | p |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for k, name in enumerate(table.names):
        n, a = (
            {system: values[table.owner == k] for system, values in measure.items()}
            for measure in (ndcg, precision)
        )
        print(
            f"| {name} | {n['initial'].mean():.4f} | {n['alone'].mean():.4f} | {n['MaxP'].mean():.4f}"
            f" | {paired_t_test(n['MaxP'], n['initial']):.3f} | {n['BERT-QE'].mean():.4f}"
            f" | {paired_t_test(n['BERT-QE'], n['MaxP']):.3f} | {a['initial'].mean():.4f} | {a['MaxP'].mean():.4f}"
            f" | {a['BERT-QE'].mean():.4f} | {paired_t_test(a['BERT-QE'], a['MaxP']):.3f} |"
        )
    for name, measure in (("nDCG@20", ndcg), ("AP", precision)):
        print("mean", name, " ".join(f"{s} {table.means(v).mean():.4f}" for s, v in measure.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["search", "third", "report"])
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--variant", required=True, help="three letters, the first two the same")
    parser.add_argument("--chunks", type=int, help="use only the best so many chunks")
    parser.add_argument("--first", type=float, nargs=2, metavar=("SCALE", "SHIFT"))
    parser.add_argument("--third", type=float, nargs=2, metavar=("SCALE", "SHIFT"))
    parser.add_argument("--alpha", type=float)
    parser.add_argument("--beta", type=float)
    options = parser.parse_args()
    table = Table(options.sets, options.scores, options.variant, options.chunks)
    if options.command == "search":
        search(table, same=len(set(options.variant)) == 1)
    elif options.command == "third":
        third_alone(table, Calibration(*options.first), options.beta)
    else:
        report(table, relevant_counts(options.sets, options.scores, table.names), options)


if __name__ == "__main__":
    main()
