"""How much could expansion add, were phase three as good as the teacher itself?

    python -m training.ceiling --sets dkl-dev.json.gz --limit 100 --small DIR --teacher DIR --vocabulary models/tiny --out ceiling.npz

Phases one and two by S. Phase three three times: X the teacher's cosine of chunk and passage, P its cosine of whole feedback
passage and passage (the ten documents in place of the ten chunks), S the model itself.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
import torch

from .clock import log
from .groups import Target
from .score import FEEDBACK_DOCUMENTS, Pipeline, load_models
from .teacher import Teacher
from .text import WordPieces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--small", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--chunk-words", type=int, default=10)
    parser.add_argument("--chunks", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    models = load_models([f"S={options.small}"], device)
    pieces, teacher, target = WordPieces(options.vocabulary), Teacher(options.teacher, device), Target()
    with gzip.open(options.sets, "rt", encoding="utf-8") as file:
        sets = json.load(file)
    out: dict[str, np.ndarray] = {}
    for name, entry in sets.items():
        entry["run"] = {q: entry["run"][q] for q in list(entry["run"])[: options.limit]}
        pipeline = Pipeline(entry, pieces, models, device, options.chunk_words, options.chunks)
        z, best = pipeline.phase_one("S")
        chosen, chunk_scores, tokens = pipeline.phase_two("SS")
        used, index = np.unique(chosen[chosen >= 0], return_inverse=True)
        texts = [pieces.decode(tokens.table[i, : tokens.lengths[i]].tolist()) for i in used.tolist()]
        chunk_vectors = teacher.encode(texts).float()
        rows = np.full(chosen.shape, -1)
        rows[chosen >= 0] = index
        passages, place = np.unique(best, return_inverse=True)
        vectors = teacher.encode([pipeline.passage_texts[p] for p in passages.tolist()]).float()[
            torch.from_numpy(place).to(device)
        ]
        by_chunk = np.full((len(best), chosen.shape[1]), np.nan, dtype=np.float32)
        by_passage = np.full((len(best), FEEDBACK_DOCUMENTS), np.nan, dtype=np.float32)
        feedback_scores = np.full((len(chosen), FEEDBACK_DOCUMENTS), np.nan, dtype=np.float32)
        ends = np.cumsum(pipeline.counts)
        for query, end in enumerate(ends):
            start = end - pipeline.counts[query]
            mine = rows[query][rows[query] >= 0]
            by_chunk[start:end, : len(mine)] = (vectors[start:end] @ chunk_vectors[mine].t()).cpu().numpy()
            top = start + np.argsort(-z[start:end], kind="stable")[:FEEDBACK_DOCUMENTS]
            by_passage[start:end, : len(top)] = (vectors[start:end] @ vectors[top].t()).cpu().numpy()
            feedback_scores[query, : len(top)] = z[top]
        out[f"{name}/counts"] = pipeline.counts
        out[f"{name}/S/z"] = z
        out[f"{name}/SS/chunks"] = chunk_scores
        out[f"{name}/SP/chunks"] = feedback_scores
        out[f"{name}/SSX/z"] = (target.cosine * (by_chunk - target.centre)).astype(np.float16)
        out[f"{name}/SPP/z"] = (target.cosine * (by_passage - target.centre)).astype(np.float16)
        out[f"{name}/SSS/z"] = pipeline.phase_three("SSS").astype(np.float16)
        log(name, len(chosen), "queries")
    np.savez_compressed(options.out, **out)


if __name__ == "__main__":
    main()
