"""Measures, significance and the choice of α and β, from the raw scores that training.score kept.

    python -m training.measure choose --sets dev.json.gz --scores new-dev.npz --letter S --variant SSS
    python -m training.measure report --sets test.json.gz --scores new-test.npz --letter S --variant SSS \
        --alpha .4 --beta .8 --scale 1 --shift 0

`choose` reads development sets only; `report` applies what it found, unchanged, and for comparison the
two-fold protocol of the first models (parameters for one half of the queries chosen on the other).
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ALPHAS = [i / 10 for i in range(1, 11)]
BETAS = [i / 10 for i in range(1, 10)]
SCALES = [0.4, 0.5, 0.7, 1.0]
SHIFTS = [-3.0, -2.0, -1.5, -1.0, 0.0]


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


def ndcg20(query: Query, scores: np.ndarray) -> np.ndarray:
    """nDCG@20 for each row of scores [systems, candidates]."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :20]
    discounts = 1 / np.log2(np.arange(order.shape[1]) + 2)
    return (query.gains[order] * discounts).sum(1) / query.ideal


def log_sigmoid(z: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0, -z.astype(np.float64))


@dataclass(frozen=True)
class Calibration:
    """z → scale·z + shift, as it is later folded into a model."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, z: np.ndarray) -> np.ndarray:
        return self.scale * z + self.shift


def expansion(query: Query, second: Calibration, third: Calibration) -> np.ndarray:
    """rel(C, d): chunk scores against the document, weighted by the softmax of the chunks' own scores."""
    p = sigmoid(second(query.chunk_z))
    weights = np.exp(p - p.max())
    return sigmoid(third(query.chunk_document_z)) @ (weights / weights.sum())


def interpolated(query: Query, betas: list[float], first: Calibration) -> np.ndarray:
    """β·ln p + (1-β)·initial, one row per β."""
    log_p = log_sigmoid(first(query.z))
    return np.stack([b * log_p + (1 - b) * query.initial for b in betas])


def expanded(
    query: Query, grid: list[tuple[float, float]], first: Calibration, third: Calibration
) -> np.ndarray:
    """β·ln((1-α)·rel(q,d) + α·rel(C,d)) + (1-β)·initial, one row per (α, β).

    Phases one and two are taken to be one model's, phase three may be another's.
    """
    p, c = sigmoid(first(query.z)), expansion(query, first, third)
    return np.stack([b * np.log((1 - a) * p + a * c + 1e-12) + (1 - b) * query.initial for a, b in grid])


def read(sets: Path, scores: Path, letter: str, variant: str | None) -> dict[str, list[Query]]:
    with gzip.open(sets, "rt", encoding="utf-8") as file:
        entries = json.load(file)
    data = np.load(scores)
    out: dict[str, list[Query]] = {}
    for name, entry in entries.items():
        if f"{name}/{letter}/z" not in data:
            continue
        z = data[f"{name}/{letter}/z"]
        chunk_z = data[f"{name}/{variant[:2]}/chunks"] if variant else None
        document_z = data[f"{name}/{variant}/z"] if variant else None
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
            valid = ~np.isnan(chunk_z[number]) if variant else None
            out[name].append(
                Query(
                    gains[order],
                    ideal,
                    np.array([s for _, s in run])[order],
                    z[at : at + len(ids)][order],
                    chunk_z[number][valid] if variant else np.zeros(0),
                    document_z[at : at + len(ids)][order][:, valid].astype(np.float32)
                    if variant
                    else np.zeros((len(ids), 0)),
                )
            )
            at += len(ids)
    return out


def table(queries: list[Query], rows: Callable[[Query], np.ndarray]) -> np.ndarray:
    """nDCG@20 [queries, systems]."""
    return np.stack([ndcg20(q, rows(q)) for q in queries])


def development_mean(sets: dict[str, list[Query]], rows: Callable[[Query], np.ndarray]) -> np.ndarray:
    """Mean nDCG@20 per system, each collection counting the same."""
    return np.mean([table(queries, rows).mean(0) for queries in sets.values()], axis=0)


def choose(sets: dict[str, list[Query]], with_expansion: bool, first: Calibration, third: Calibration) -> str:
    """The best β, and the best α and β with expansion, at one calibration."""
    flat = development_mean(sets, lambda q: interpolated(q, BETAS, first))
    text = f"{first}: + initial {flat.max():.4f} at beta {BETAS[int(flat.argmax())]}"
    if with_expansion:
        grid = list(itertools.product(ALPHAS, BETAS))
        deep = development_mean(sets, lambda q: expanded(q, grid, first, third))
        alpha, beta = grid[int(deep.argmax())]
        text += f"; phase three {third}: BERT-QE {deep.max():.4f} at alpha {alpha} beta {beta}"
    return text


def two_fold(queries: list[Query], rows: Callable[[Query], np.ndarray]) -> np.ndarray:
    """Each half of the queries measured with the parameters that suit the other half best."""
    values = table(queries, rows)
    fold = np.arange(len(queries)) % 2
    out = np.empty(len(queries))
    for k in (0, 1):
        out[fold == k] = values[fold == k][:, int(values[fold != k].mean(0).argmax())]
    return out


def report(
    sets: dict[str, list[Query]], first: Calibration, third: Calibration, options: argparse.Namespace
) -> None:
    grid = list(itertools.product(ALPHAS, BETAS))
    print("| collection | initial | model alone | MaxP | p | BERT-QE | p | two-fold: MaxP | BERT-QE | p |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    means = []
    for name, queries in sets.items():
        initial = table(queries, lambda q: q.initial[None])[:, 0]
        alone = table(queries, lambda q: q.z[None])[:, 0]
        flat = table(queries, lambda q: interpolated(q, [options.max_p_beta], first))[:, 0]
        folded = two_fold(queries, lambda q: interpolated(q, BETAS, first))
        cells = [initial, alone, flat]
        if options.variant:
            deep = table(queries, lambda q: expanded(q, [(options.alpha, options.beta)], first, third))[:, 0]
            folded_deep = two_fold(queries, lambda q: expanded(q, grid, first, third))
            cells += [deep, folded, folded_deep]
        means.append([c.mean() for c in cells])
        text = [f"{c.mean():.4f}" for c in cells]
        text.insert(3, f"{paired_t_test(flat, initial):.3f}")
        if options.variant:
            text.insert(5, f"{paired_t_test(deep, flat):.3f}")
            text.append(f"{paired_t_test(folded_deep, folded):.3f}")
        print(f"| {name} | " + " | ".join(text) + " |")
    print("mean", " ".join(f"{m:.4f}" for m in np.mean(means, axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["choose", "report"])
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--letter", required=True, help="model of phase one")
    parser.add_argument("--variant", help="three letters")
    parser.add_argument(
        "--calibrate", action="store_true", help="also search scale and shift of the log-odds"
    )
    parser.add_argument("--alpha", type=float, default=0.4)
    parser.add_argument("--beta", type=float, default=0.8)
    parser.add_argument("--max-p-beta", type=float, default=0.8)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--shift", type=float, default=0.0)
    parser.add_argument("--third-scale", type=float, help="of phase three's model, where it is another")
    parser.add_argument("--third-shift", type=float)
    options = parser.parse_args()
    sets = read(options.sets, options.scores, options.letter, options.variant)
    first = Calibration(options.scale, options.shift)
    third = first if options.third_scale is None else Calibration(options.third_scale, options.third_shift)
    if options.command == "choose":
        for name, rows in (("initial", lambda q: q.initial[None]), ("model alone", lambda q: q.z[None])):
            per = {n: float(table(q, rows).mean()) for n, q in sets.items()}
            print(
                name,
                " ".join(f"{n} {v:.4f}" for n, v in per.items()),
                f"mean {np.mean(list(per.values())):.4f}",
            )
        if not options.calibrate:
            print(choose(sets, bool(options.variant), first, third))
            return
        for scale, shift in itertools.product(SCALES, SHIFTS):
            both = Calibration(scale, shift)
            print(choose(sets, bool(options.variant), both, both))
    else:
        report(sets, first, third, options)


if __name__ == "__main__":
    main()
