"""How much could expansion add, were phase three to count shared words instead of asking a model?

    python -m training.words_ceiling choose --sets dkl-dev.json.gz --scores new-dev.npz --small DIR --vocabulary models/tiny \
        --limit 60 --out chunks.json
    python -m training.words_ceiling report --sets dkl-dev.json.gz --scores new-dev.npz --chunks chunks.json \
        --vocabulary models/tiny --corpus DIR

`choose` keeps the texts that S chooses in phase two: ten-word chunks, and whole best passages of the ten feedback documents.
`report` puts σ(scale·x + shift) in place of rel(c, d), x the cosine of idf-weighted sets of word pieces (idf of general text, or of the
collection itself), T's own log-odds, or both, and mixes as the paper does. Scale, shift and α are the best of a grid, so the
figures are upper bounds. S is calibrated as it ships, β is .95.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import torch

from .dataset import Corpus
from .measure import Calibration, ndcg20, read, sigmoid
from .score import FEEDBACK_DOCUMENTS, Pipeline, load_models
from .text import VOCABULARY_SIZE, WordPieces

FIRST, BETA = Calibration(0.5, -2.0), 0.95
ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4)
COSINES = tuple(itertools.product((10.0, 20.0, 30.0), (-1.0, -2.0, -3.0, -4.0, -5.0, -6.0)))
LOGITS = tuple(itertools.product((0.3, 0.5, 0.8, 1.2), (-1.5, -3.0, -4.0, -6.0)))
BOTH = tuple(itertools.product((0.3, 0.5), (10.0, 20.0), (-2.0, -3.0, -4.0, -5.0)))


def choose(options: argparse.Namespace) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    models, pieces = load_models([f"S={options.small}"], device), WordPieces(options.vocabulary)
    scores = np.load(options.scores)
    chosen: dict[str, dict[str, dict]] = {}
    for name, entry in sets_of(options.sets).items():
        ends = np.cumsum(scores[f"{name}/counts"])
        runs = {}
        for number, query in enumerate(list(entry["run"])[: options.limit]):
            z = scores[f"{name}/S/z"][ends[number] - scores[f"{name}/counts"][number] : ends[number]]
            top = np.argsort(-z, kind="stable")[:FEEDBACK_DOCUMENTS]
            runs[query] = [entry["run"][query][i] for i in top.tolist()]
        needed = {str(document) for run in runs.values() for document, _ in run}
        passages = {d: texts for d, texts in entry["passages"].items() if d in needed}
        pipeline = Pipeline({**entry, "run": runs, "passages": passages}, pieces, models, device)
        _, best = pipeline.phase_one("S")
        chunks, _, tokens = pipeline.phase_two("SS")
        at = 0
        chosen[name] = {}
        for row, query in zip(chunks, pipeline.queries, strict=True):
            texts = [pieces.decode(tokens.table[i, : tokens.lengths[i]].tolist()) for i in row[row >= 0]]
            feedback = [pipeline.passage_texts[p] for p in best[at : at + len(runs[query])]]
            at += len(runs[query])
            chosen[name][query] = {"chunks": texts, "passages": feedback}
        print(name, len(runs), flush=True)
    options.out.write_text(json.dumps(chosen))


def sets_of(path: Path) -> dict[str, dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class Words:
    """Texts as unit vectors of idf-weighted sets of pieces."""

    def __init__(self, idf: np.ndarray) -> None:
        self.idf = idf

    def __call__(self, rows: list[np.ndarray]) -> sparse.csr_matrix:
        columns = np.concatenate(rows)
        owners = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
        matrix = sparse.csr_matrix((self.idf[columns], (owners, columns)), shape=(len(rows), VOCABULARY_SIZE))
        norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
        return sparse.diags(1 / np.maximum(norms, 1e-9)) @ matrix


def inverse_frequency(documents: list[np.ndarray], pieces: WordPieces) -> np.ndarray:
    held = np.bincount(np.concatenate([np.unique(d) for d in documents]), minlength=VOCABULARY_SIZE)
    idf = np.log(len(documents) / (1 + held)).clip(0)
    idf[[len(p) == 1 and not p.isalnum() for p in pieces.pieces]] = 0
    return idf


def softmax(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - x.max())
    return weights / weights.sum()


def report(options: argparse.Namespace) -> None:
    pieces = WordPieces(options.vocabulary)

    def encode(texts: list[str]) -> list[np.ndarray]:
        return [np.unique(np.array(ids, dtype=np.int64)) for ids in pieces.encode(texts)]

    corpus = Corpus(options.corpus)
    general = inverse_frequency([corpus.body[i] for i in range(len(corpus.body))], pieces)
    chosen = json.loads(options.chunks.read_text())
    queries = read(options.sets, options.scores, "S", "SST")
    gains: dict[str, list[np.ndarray]] = {}
    base: list[float] = []
    names: list[str] = []
    for name, entry in sets_of(options.sets).items():
        texts = [text for passages in entry["passages"].values() for text in passages]
        counts = [len(passages) for passages in entry["passages"].values()]
        first = dict(zip(map(int, entry["passages"]), np.cumsum([0, *counts])[:-1], strict=True))
        number_of = dict(zip(map(int, entry["passages"]), counts, strict=True))
        rows = encode(texts)
        documents = np.split(np.arange(len(rows)), np.cumsum(counts)[:-1])
        own = inverse_frequency([np.concatenate([rows[i] for i in d]) for d in documents], pieces)
        kinds = {kind: Words(idf) for kind, idf in (("general idf", general), ("collection's idf", own))}
        vectors = {kind: words(rows) for kind, words in kinds.items()}
        collected: dict[str, list[np.ndarray]] = {}
        plain = []
        for query, key in zip(queries[name], entry["run"], strict=False):
            if key not in chosen[name]:
                break
            run = entry["run"][key][: len(query.z)]
            ids = [entry["ids"][d] for d, _ in run]
            order = sorted(range(len(ids)), key=lambda i: ids[i], reverse=True)
            spans = [(first[run[i][0]], number_of[run[i][0]]) for i in order]
            flat = np.concatenate([np.arange(start, start + count) for start, count in spans])
            ends = np.cumsum([0] + [count for _, count in spans])
            p = sigmoid(FIRST(query.z))
            plain.append(ndcg20(query, (BETA * np.log(p) + (1 - BETA) * query.initial)[None])[0])
            chunk_weights = softmax(sigmoid(FIRST(query.chunk_z)))
            signals: dict[str, tuple[np.ndarray, np.ndarray]] = {}
            for kind, words in kinds.items():
                for level in ("chunks", "passages"):
                    found = chosen[name][key][level]
                    scores = sigmoid(FIRST(query.chunk_z)) if level == "chunks" else np.sort(p)[::-1][: len(found)]
                    cosine = (vectors[kind][flat] @ words(encode(found)).T).toarray()
                    # the passage that suits the feedback best stands for its document
                    best = [a + int(cosine[a:b].mean(1).argmax()) for a, b in itertools.pairwise(ends)]
                    signals[f"{level}, {kind}"] = (cosine[best], softmax(scores))
            logits = query.chunk_document_z
            systems = {
                way: [sigmoid(scale * x + shift) @ w for scale, shift in COSINES]
                for way, (x, w) in signals.items()
            }
            systems["T"] = [sigmoid(s * logits + t) @ chunk_weights for s, t in LOGITS]
            cosine = signals["chunks, general idf"][0]
            systems["T and chunks, general idf"] = [
                sigmoid(s * logits + c * cosine + t) @ chunk_weights for s, c, t in BOTH
            ]
            for way, expansions in systems.items():
                rows_of_scores = [
                    BETA * np.log((1 - a) * p + a * e + 1e-12) + (1 - BETA) * query.initial
                    for e in expansions
                    for a in ALPHAS
                ]
                collected.setdefault(way, []).append(ndcg20(query, np.stack(rows_of_scores)))
        names.append(name)
        base.append(float(np.mean(plain)))
        for way, figures in collected.items():
            gains.setdefault(way, []).append(np.mean(figures, axis=0))
    print(f"MaxP {np.mean(base):.4f}")
    print("| phase three | mean | " + " | ".join(names) + " |")
    for way, figures in gains.items():
        table = np.stack(figures)
        best = int(table.mean(0).argmax())
        each = " | ".join(f"{x:+.3f}" for x in table[:, best] - np.array(base))
        print(f"| {way} | {table.mean(0)[best]:.4f} | {each} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for command in (choose, report):
        sub = commands.add_parser(command.__name__)
        sub.set_defaults(run=command)
        sub.add_argument("--sets", type=Path, required=True)
        sub.add_argument("--scores", type=Path, required=True)
        sub.add_argument("--vocabulary", type=Path, required=True)
        if command is choose:
            sub.add_argument("--small", type=Path, required=True)
            sub.add_argument("--limit", type=int, default=60)
            sub.add_argument("--out", type=Path, required=True)
        else:
            sub.add_argument("--chunks", type=Path, required=True)
            sub.add_argument("--corpus", type=Path, required=True)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
