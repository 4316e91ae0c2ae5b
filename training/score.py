"""Raw scores of the three phases of BERT-QE over evaluation sets.

    python -m training.score --sets dev.json.gz --models S=DIR T=DIR --variants SST TTT --vocabulary models/tiny \
        --chunk-words 50 --chunks 5 --out scores.npz

Only log-odds are stored. Calibration, combination and measures need no model (training.grid).
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np
import torch

from .groups import assemble
from .model import SIZES, CrossEncoder, load_weights
from .progress import log
from .text import WordPieces, windows

FEEDBACK_DOCUMENTS = 10
MAX_QUERY_PIECES, MAX_PASSAGE_PIECES, MAX_LENGTH = 126, 254, 384


class Texts:
    """Token rows on the device."""

    def __init__(self, rows: list[list[int]], width: int, device: torch.device) -> None:
        self.lengths = np.array([min(width, len(r)) for r in rows], dtype=np.int64)
        table = np.zeros((len(rows), int(self.lengths.max(initial=1))), dtype=np.int16)
        for number, row in enumerate(rows):
            table[number, : self.lengths[number]] = row[:width]
        self.table = torch.from_numpy(table).to(device)
        self.device_lengths = torch.from_numpy(self.lengths).to(device)


@torch.inference_mode()
def score(
    model: CrossEncoder, first: Texts, second: Texts, pairs: np.ndarray, tokens_per_batch: int = 262_144
) -> np.ndarray:
    """Log-odds of (first, second) pairs, in batches of like length."""
    device = first.table.device
    total = np.minimum(first.lengths[pairs[:, 0]] + second.lengths[pairs[:, 1]] + 3, MAX_LENGTH)
    order = np.argsort(-total, kind="stable")
    sorted_pairs = torch.from_numpy(pairs[order]).to(device)
    out = torch.empty(len(pairs), device=device)
    at = 0
    while at < len(pairs):
        length = min(MAX_LENGTH, -(-int(total[order[at]]) // 16) * 16)
        stop = min(len(pairs), at + max(1, tokens_per_batch // length))
        a, b = sorted_pairs[at:stop, 0], sorted_pairs[at:stop, 1]
        batch = assemble(
            first.table[a], first.device_lengths[a], second.table[b], second.device_lengths[b], length
        )
        with torch.autocast(device.type, torch.float16, enabled=device.type == "cuda"):
            out[at:stop] = model(*batch)
        at = stop
    scores = np.empty(len(pairs), dtype=np.float32)
    scores[order] = out.float().cpu().numpy()
    return scores


class Pipeline:
    """The three phases on one collection, each run once per model that needs it."""

    def __init__(
        self,
        entry: dict,
        pieces: WordPieces,
        models: dict[str, CrossEncoder],
        device: torch.device,
        chunk_words: int,
        chunks: int,
    ) -> None:
        self.pieces, self.models, self.device = pieces, models, device
        self.chunk_words, self.chunks = chunk_words, chunks
        self.queries = list(entry["run"])
        self.counts = np.array([len(entry["run"][q]) for q in self.queries])
        self.initial = np.array([s for q in self.queries for _, s in entry["run"][q]], dtype=np.float32)
        first: dict[int, int] = {}
        self.passage_texts: list[str] = []
        for number, texts in entry["passages"].items():
            first[int(number)] = len(self.passage_texts)
            self.passage_texts += texts
        self.query_tokens = Texts(
            pieces.encode([entry["queries"][q] for q in self.queries]), MAX_QUERY_PIECES, device
        )
        self.passage_tokens = Texts(pieces.encode(self.passage_texts), MAX_PASSAGE_PIECES, device)
        self.owner = np.repeat(np.arange(len(self.queries)), self.counts)
        documents = [d for q in self.queries for d, _ in entry["run"][q]]
        self.first_passage = np.array([first[d] for d in documents])
        self.passage_count = np.array([len(entry["passages"][str(d)]) for d in documents])
        self.phase_one_cache: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.phase_two_cache: dict[str, tuple[np.ndarray, np.ndarray, Texts]] = {}

    def pairs_of_phase_one(self) -> tuple[np.ndarray, np.ndarray]:
        """(query, passage) for every passage of every candidate, and the end of each candidate's passages."""
        ends = np.cumsum(self.passage_count)
        offset = np.arange(ends[-1]) - np.repeat(ends - self.passage_count, self.passage_count)
        passages = np.repeat(self.first_passage, self.passage_count) + offset
        return np.stack([np.repeat(self.owner, self.passage_count), passages], 1), ends

    def phase_one(self, letter: str) -> tuple[np.ndarray, np.ndarray]:
        """Score and number of the best passage of each candidate."""
        if letter not in self.phase_one_cache:
            pairs, ends = self.pairs_of_phase_one()
            scores = score(self.models[letter], self.query_tokens, self.passage_tokens, pairs)
            best = np.empty(len(ends), dtype=np.int64)
            for number, end in enumerate(ends):
                start = end - self.passage_count[number]
                best[number] = start + int(np.argmax(scores[start:end]))
            self.phase_one_cache[letter] = (scores[best], pairs[best, 1])
        return self.phase_one_cache[letter]

    def phase_two(self, letters: str) -> tuple[np.ndarray, np.ndarray, Texts]:
        """Chosen chunks per query [queries, chunks] (-1 where there are fewer), their scores, all chunks."""
        if letters not in self.phase_two_cache:
            scores, best = self.phase_one(letters[0])
            texts: list[str] = []
            owners: list[int] = []
            ends = np.cumsum(self.counts)
            for query, end in enumerate(ends):
                start = end - self.counts[query]
                top = start + np.argsort(-scores[start:end], kind="stable")[:FEEDBACK_DOCUMENTS]
                for document in top:
                    words = self.passage_texts[best[document]].split()
                    chunks = [" ".join(w) for w in windows(words, self.chunk_words, self.chunk_words // 2)]
                    texts += chunks
                    owners += [query] * len(chunks)
            tokens = Texts(self.pieces.encode(texts), MAX_PASSAGE_PIECES, self.device)
            owner = np.array(owners)
            chunk_scores = score(
                self.models[letters[1]],
                self.query_tokens,
                tokens,
                np.stack([owner, np.arange(len(owner))], 1),
            )
            chosen = np.full((len(self.queries), self.chunks), -1)
            chosen_scores = np.full((len(self.queries), self.chunks), np.nan, dtype=np.float32)
            for query in range(len(self.queries)):
                mine = np.flatnonzero(owner == query)
                mine = mine[np.argsort(-chunk_scores[mine], kind="stable")[: self.chunks]]
                chosen[query, : len(mine)] = mine
                chosen_scores[query, : len(mine)] = chunk_scores[mine]
            self.phase_two_cache[letters] = (chosen, chosen_scores, tokens)
        return self.phase_two_cache[letters]

    def phase_three(self, letters: str) -> np.ndarray:
        """Scores of the best passage of each candidate against each chosen chunk [candidates, chunks]."""
        _, best = self.phase_one(letters[0])
        chosen, _, tokens = self.phase_two(letters[:2])
        chunk_of = chosen[self.owner]
        rows, columns = np.nonzero(chunk_of >= 0)
        pairs = np.stack([chunk_of[rows, columns], best[rows]], 1)
        shortened = Texts.__new__(Texts)
        shortened.table, shortened.lengths = tokens.table, np.minimum(tokens.lengths, MAX_QUERY_PIECES)
        shortened.device_lengths = tokens.device_lengths.clamp(max=MAX_QUERY_PIECES)
        out = np.full(chunk_of.shape, np.nan, dtype=np.float32)
        out[rows, columns] = score(self.models[letters[2]], shortened, self.passage_tokens, pairs)
        return out


def load_models(folders: list[str], device: torch.device) -> dict[str, CrossEncoder]:
    """Models by size letter, of LETTER=FOLDER each."""
    models = {}
    for letter, folder in (pair.split("=", 1) for pair in folders):
        model = CrossEncoder(SIZES[letter])
        missing = load_weights(model, Path(folder))
        if missing:
            raise ValueError(f"{folder} lacks {missing}")
        models[letter] = model.to(device).eval()
    return models


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--models", nargs="+", required=True, help="LETTER=FOLDER")
    parser.add_argument("--variants", nargs="+", required=True, help="three letters each")
    parser.add_argument("--limit", type=int, help="only the first queries of each collection")
    parser.add_argument("--depth", type=int, help="only the first candidates of each query")
    parser.add_argument("--chunk-words", type=int, default=50, help="m")
    parser.add_argument("--chunks", type=int, default=5, help="kc")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    models = load_models(options.models, device)
    pieces = WordPieces(options.vocabulary)
    with gzip.open(options.sets, "rt", encoding="utf-8") as file:
        sets = json.load(file)
    out: dict[str, np.ndarray] = {}
    for name, entry in sets.items():
        entry["run"] = {q: entry["run"][q][: options.depth] for q in list(entry["run"])[: options.limit]}
        start = time.time()
        pipeline = Pipeline(entry, pieces, models, device, options.chunk_words, options.chunks)
        out[f"{name}/counts"] = pipeline.counts
        for letter in sorted({v[0] for v in options.variants}):
            out[f"{name}/{letter}/z"] = pipeline.phase_one(letter)[0]
        for variant in options.variants:
            out[f"{name}/{variant[:2]}/chunks"] = pipeline.phase_two(variant[:2])[1]
            out[f"{name}/{variant}/z"] = pipeline.phase_three(variant).astype(np.float16)
        log(f"{name}: {len(pipeline.queries)} queries, {time.time() - start:.1f} s")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out, **out)


if __name__ == "__main__":
    main()
