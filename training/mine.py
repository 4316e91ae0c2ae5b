"""Candidates of every query: the best by shared words, the best by the teacher, and some at random.

    python -m training.mine --dataset DIR/dataset.npz --within clusters --teacher DIR --vocabulary models/tiny --out DIR

A query searches the passages of its own part. With `--within shards` parts are about 24,000 passages at random; with
`--within clusters` they are about 2,500 passages on one subject, found by the teacher's vectors. Every candidate keeps
two numbers: the teacher's cosine, and its BM25 score as a share of the query's total weight.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .progress import log
from .dataset import Ragged
from .passages import MAX_PASSAGE_PIECES
from .queries import CHUNK, NEED, SENTENCE
from .teacher import PASSAGE, QUESTION, TEXT, Teacher
from .text import MASK, VOCABULARY_SIZE, WordPieces

LIST_LENGTH, RANDOM = 96, 16
SHARD_SIZE, CLUSTER_SIZE, SMALLEST_CLUSTER, STRANGERS = 24_000, 2500, 400, 256
K1, B = 0.9, 0.4
TEXTS_PER_CALL = 40_000


def table(rows: Ragged, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Fixed-width int16 rows, zero-padded, and their lengths."""
    lengths = np.minimum(np.diff(rows.ends), width).astype(np.int64)
    out = np.zeros((len(rows), width), dtype=np.int16)
    column = np.arange(width)[None]
    for start in range(0, len(rows), 100_000):
        part = lengths[start : start + 100_000]
        index = np.minimum(rows.ends[start : start + len(part), None] + column, len(rows.values) - 1)
        out[start : start + len(part)] = np.where(column < part[:, None], rows.values[index], 0)
    return out, lengths


def teach(rows: Ragged, numbers: np.ndarray, role: int, pieces: WordPieces, teacher: Teacher) -> Tensor:
    """The teacher's vectors of some rows."""
    vectors = []
    for part in np.array_split(numbers, max(1, -(-len(numbers) // TEXTS_PER_CALL))):
        vectors.append(teacher.encode([pieces.decode(rows[i].tolist()) for i in part], role))
    return torch.cat(vectors)


def inverse_document_frequency(passages: Tensor) -> Tensor:
    """idf of each piece over all passages, as BM25 has it; 0 for special pieces."""
    frequency = torch.zeros(VOCABULARY_SIZE, device=passages.device)
    for part in passages.split(50_000):
        ordered = part.long().sort(1).values
        fresh = torch.ones_like(ordered, dtype=torch.bool)
        fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        frequency += torch.bincount(ordered[fresh], minlength=VOCABULARY_SIZE)
    idf = torch.log(1 + (len(passages) - frequency + 0.5) / (frequency + 0.5))
    idf[: MASK + 1] = 0
    return idf


def passage_weights(passages: Tensor, lengths: Tensor, idf: Tensor, mean_length: float) -> Tensor:
    """BM25 term weights of passages [n, vocabulary]."""
    counts = torch.zeros(len(passages), VOCABULARY_SIZE, device=passages.device)
    counts.scatter_add_(1, passages.long(), torch.ones_like(passages, dtype=torch.float32))
    norm = K1 * (1 - B + B * lengths.float()[:, None] / mean_length)
    return idf * counts / (counts + norm)


def query_terms(queries: Tensor, idf: Tensor) -> tuple[Tensor, Tensor]:
    """The pieces of a query [n, vocabulary], and the sum of their idf."""
    present = torch.zeros(len(queries), VOCABULARY_SIZE, device=queries.device)
    present.scatter_(1, queries.long(), 1.0)
    present[:, : MASK + 1] = 0
    return present, (present @ idf).clamp(min=1.0)


def nearest(vectors: Tensor, centres: Tensor) -> Tensor:
    return torch.cat([(part @ centres.t()).argmax(1) for part in vectors.split(65_536)])


def clusters(vectors: Tensor, rounds: int = 8) -> Tensor:
    """Spherical k-means: the cluster of each vector. Clusters too small to mine in are dissolved."""
    count = max(1, round(len(vectors) / CLUSTER_SIZE))
    centres = vectors[torch.randperm(len(vectors), device=vectors.device)[:count]]
    for _ in range(rounds):
        assigned = nearest(vectors, centres)
        sums = torch.zeros(len(centres), vectors.shape[1], device=vectors.device)
        sums.index_add_(0, assigned, vectors.float())
        sizes = torch.bincount(assigned, minlength=len(centres))
        kept = sizes >= min(SMALLEST_CLUSTER, int(sizes.max()))
        centres = torch.nn.functional.normalize(sums[kept], dim=1).to(vectors.dtype)
    while True:
        assigned = nearest(vectors, centres)
        sizes = torch.bincount(assigned, minlength=len(centres))
        if len(centres) == 1 or int(sizes.min()) >= LIST_LENGTH:
            return assigned
        centres = centres[sizes > sizes.min()]


def shards(family: Tensor) -> Tensor:
    """The shard of each passage. Passages of a family share one."""
    count = max(1, round(len(family) / SHARD_SIZE))
    return (family.long() * 40503 + 977) % 65_521 % count


def mine_part(
    queries: Tensor,
    query_vectors: Tensor,
    source: Tensor,
    excluded: Tensor,
    weights: Tensor,
    vectors: Tensor,
    idf: Tensor,
    inside: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Candidates (numbers within the part), cosines and word shares for a block of queries.

    Passages from `inside` on belong to other parts. They are half of the random candidates.
    """
    half = weights.dtype
    present, total = query_terms(queries, idf)
    lexical = (present.to(half) @ weights.t()).float() / total[:, None]
    cosine = (query_vectors @ vectors.t()).float()
    hidden_lexical, hidden_cosine = lexical[:, :inside], cosine[:, :inside]
    rows = torch.nonzero(excluded >= 0).squeeze(1)
    if len(rows):
        hidden_lexical, hidden_cosine = hidden_lexical.clone(), hidden_cosine.clone()
        hidden_lexical[rows, excluded[rows]] = -1
        hidden_cosine[rows, excluded[rows]] = -2
    by_words = hidden_lexical.topk(LIST_LENGTH, dim=1).indices
    by_teacher = hidden_cosine.topk(LIST_LENGTH, dim=1).indices
    shape, device = (len(queries), RANDOM // 2), queries.device
    anywhere = torch.randint(0, inside, shape, device=device)
    strange = torch.randint(inside, weights.shape[0], shape, device=device)
    candidates = torch.cat([source[:, None], by_words, by_teacher, anywhere, strange], dim=1)
    return candidates, cosine.gather(1, candidates), lexical.gather(1, candidates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", type=Path, required=True)
    parser.add_argument("--within", choices=["shards", "clusters"], required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--block", type=int, default=2048)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    half = torch.float16 if device.type == "cuda" else torch.float32
    torch.manual_seed(3)
    started = time.time()
    data = dict(np.load(options.dataset))
    pieces = WordPieces(options.vocabulary)
    passage_rows = Ragged.of(data["passage"], data["passage_lengths"])
    query_rows = Ragged.of(data["query"], data["query_lengths"])
    teacher = Teacher(options.teacher, device)
    passage_vectors = teach(passage_rows, np.arange(len(passage_rows)), PASSAGE, pieces, teacher).to(half)
    log(f"teacher: {len(passage_rows)} passages, {time.time() - started:.1f} s")
    query_vectors = torch.zeros(len(query_rows), passage_vectors.shape[1], dtype=half, device=device)
    prose = np.isin(data["query_kind"], (SENTENCE, NEED, CHUNK))
    for role, numbers in ((TEXT, np.flatnonzero(prose)), (QUESTION, np.flatnonzero(~prose))):
        query_vectors[torch.from_numpy(numbers).to(device)] = teach(query_rows, numbers, role, pieces, teacher).to(half)
    log(f"teacher: {len(query_rows)} queries, {time.time() - started:.1f} s")

    passages, passage_lengths = (
        torch.from_numpy(a).to(device) for a in table(passage_rows, MAX_PASSAGE_PIECES)
    )
    queries, query_lengths = (torch.from_numpy(a).to(device) for a in table(query_rows, 128))
    idf = inverse_document_frequency(passages)
    mean_length = float(passage_lengths.float().mean())
    is_chunk = torch.from_numpy(data["passage_is_chunk"]).to(device)
    family = torch.from_numpy(data["passage_family"]).to(device)
    passage_part = torch.zeros(len(passages), dtype=torch.long, device=device)
    for members in (~is_chunk, is_chunk):  # ten-word passages have parts of their own, as in phase two
        if members.any():
            found = shards(family[members]) if options.within == "shards" else clusters(passage_vectors[members])
            passage_part[members] = found + passage_part.max() + 1
    passage_part -= passage_part.min()
    sizes = torch.bincount(passage_part)
    log(f"{len(sizes)} {options.within} of {int(sizes.min())} to {int(sizes.max())}, {time.time() - started:.1f} s")
    source = torch.from_numpy(data["query_source"]).to(device).long()
    homeless = torch.nonzero(source < 0).squeeze(1)
    whole = torch.nonzero(~is_chunk).squeeze(1)
    for block in homeless.split(options.block):
        source[block] = whole[(query_vectors[block] @ passage_vectors[whole].t()).argmax(1)]
    query_part = passage_part[source]
    excluded = torch.from_numpy(data["query_excluded"]).to(device).long()
    elsewhere = (excluded >= 0) & (passage_part[excluded.clamp(min=0)] != query_part)
    excluded = torch.where(elsewhere, -1, excluded)
    width = 1 + 2 * LIST_LENGTH + RANDOM
    candidates = torch.zeros(len(queries), width, dtype=torch.int32, device=device)
    cosine = torch.zeros(len(queries), width, dtype=torch.float16, device=device)
    lexical = torch.zeros(len(queries), width, dtype=torch.float16, device=device)
    local = torch.zeros(len(passages), dtype=torch.long, device=device)
    for part in range(len(sizes)):
        members = torch.nonzero(passage_part == part).squeeze(1)
        mine = torch.nonzero(query_part == part).squeeze(1)
        if len(members) < LIST_LENGTH and len(mine):
            raise ValueError(f"part {part} has only {len(members)} passages, expected at least {LIST_LENGTH}")
        local[members] = torch.arange(len(members), device=device)
        known = torch.cat([members, torch.randint(0, len(passages), (STRANGERS,), device=device)])
        weights = torch.cat(
            [
                passage_weights(passages[m], passage_lengths[m], idf, mean_length).to(half)
                for m in known.split(4096)
            ]
        )
        for block in mine.split(options.block):
            hide = torch.where(excluded[block] >= 0, local[excluded[block].clamp(min=0)], -1)
            numbers, cos, lex = mine_part(
                queries[block],
                query_vectors[block],
                local[source[block]],
                hide,
                weights,
                passage_vectors[known],
                idf,
                len(members),
            )
            candidates[block] = known[numbers].int()
            cosine[block], lexical[block] = (cos + teacher.constant).half(), lex.half()
    log(f"mined {len(queries)} queries, {time.time() - started:.1f} s")
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(
        {
            "passages": passages.cpu(),
            "passage_lengths": passage_lengths.cpu(),
            "queries": queries.cpu(),
            "query_lengths": query_lengths.cpu(),
            "kinds": torch.from_numpy(data["query_kind"]),
            "weights": torch.from_numpy(data["query_weight"]),
            "families": torch.from_numpy(data["passage_family"]),
            "candidates": candidates.cpu(),
            "cosine": cosine.cpu(),
            "lexical": lexical.cpu(),
            "vectors": passage_vectors.cpu(),
            "constant": teacher.constant,
            "lexical_weight": teacher.lexical,
        },
        options.out / "groups.pt",
    )
    quantiles = torch.tensor([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
    for name, values in (("cosine", cosine), ("lexical", lexical)):
        lists = {
            "source": slice(0, 1),
            "words": slice(1, 1 + LIST_LENGTH),
            "teacher": slice(1 + LIST_LENGTH, 1 + 2 * LIST_LENGTH),
            "random": slice(1 + 2 * LIST_LENGTH, width),
        }
        for list_name, columns in lists.items():
            sample = values[:: max(1, len(values) // 5000), columns].float().flatten().cpu()
            log(name, list_name, " ".join(f"{v:.3f}" for v in torch.quantile(sample, quantiles)))
    log(f"written, {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()
