"""Queries of phase three: chunks of the documents that answer a hidden query.

    python -m training.feedback --groups DIR/groups.pt --teacher DIR --chooser S=DIR --vocabulary models/tiny \
        --queries 120000 --out DIR/feedback.pt

BERT-QE scores a chunk against every candidate of the query that the chunk was chosen for. For each hidden query, the ten
best documents by its target are cut into windows of about ten words. A model picks the four windows that suit the query
best. Each becomes a query whose candidates are those of the hidden query. Its target needs the teacher's vector of the
chunk and the centroid of the feedback documents.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .groups import Target, assemble
from .mine import LIST_LENGTH
from .model import CrossEncoder
from .progress import log
from .queries import KEYWORDS, MANY, NEED, QUESTION, SENTENCE, TITLE, WEB
from .score import MAX_QUERY_PIECES, load_models
from .teacher import TEXT, Teacher
from .text import WordPieces

# shares of the kinds of hidden queries
HIDDEN_SHARES = {QUESTION: 0.2, WEB: 0.08, MANY: 0.08, TITLE: 0.24, KEYWORDS: 0.16, SENTENCE: 0.12, NEED: 0.12}
FEEDBACK_DOCUMENTS, WINDOWS_PER_DOCUMENT, CHUNKS_PER_QUERY = 10, 4, 4
SHORT_WORDS, LONG_WORDS, LONG_SHARE = (10, 13), (30, 50), 0.75
SHORTEST_PASSAGE = 40
BLOCK = 4096


def draw_hidden(data: dict[str, Tensor], count: int, generator: torch.Generator) -> Tensor:
    """Row numbers of the hidden queries, without those whose candidates are ten-word passages."""
    kinds = data["kinds"].long()
    usable = data["passage_lengths"][data["candidates"][:, 1].long()] >= SHORTEST_PASSAGE
    rows = []
    for kind, share in HIDDEN_SHARES.items():
        mine = torch.nonzero((kinds == kind) & usable).squeeze(1)
        rows.append(mine[torch.randperm(len(mine), generator=generator)[: int(share * count)]])
    return torch.cat(rows)


def best_columns(candidates: Tensor, wanted: Tensor) -> Tensor:
    """Columns of the ten best different candidates, by the target."""
    listed = candidates[:, : 1 + 2 * LIST_LENGTH]
    order = listed.sort(dim=1, stable=True)
    again = torch.zeros_like(listed, dtype=torch.bool)
    again[:, 1:] = order.values[:, 1:] == order.values[:, :-1]
    repeated = torch.zeros_like(again).scatter(1, order.indices, again)
    return wanted[:, : listed.shape[1]].masked_fill(repeated, -1e9).topk(FEEDBACK_DOCUMENTS, 1).indices


def cut_windows(passages: Tensor, lengths: Tensor, continues: Tensor) -> tuple[Tensor, Tensor]:
    """A random window of each passage, of few words or of many (punctuation counts): ids and lengths."""
    most = min(5 * LONG_WORDS[1] // 2, MAX_QUERY_PIECES)
    column = torch.arange(passages.shape[1], device=passages.device)[None]
    inside = column < lengths[:, None]
    starts = inside & ~continues[passages.long()]
    word = starts.long().cumsum(1) - 1
    words = starts.sum(1)
    short, long = (
        torch.randint(low, high + 1, words.shape, device=passages.device) for low, high in (SHORT_WORDS, LONG_WORDS)
    )
    size = torch.where(torch.rand(words.shape, device=passages.device) < LONG_SHARE, long, short)
    first = (torch.rand(words.shape, device=passages.device) * (words - size + 1).clamp(min=1)).long()
    mine = inside & (word >= first[:, None]) & (word < (first + size)[:, None])
    begin = mine.long().argmax(1)
    count = mine.sum(1).clamp(max=most)
    offset = torch.arange(most, device=passages.device)[None]
    index = (begin[:, None] + offset).clamp(max=passages.shape[1] - 1)
    return torch.where(offset < count[:, None], passages.gather(1, index), 0), count


@torch.inference_mode()
def suitability(
    model: CrossEncoder, queries: Tensor, query_lengths: Tensor, chunks: Tensor, lengths: Tensor
) -> Tensor:
    """Log-odds of (query, chunk) pairs, in batches of like length."""
    total = query_lengths + lengths + 3
    order = total.argsort()
    out = torch.empty(len(total), device=total.device)
    for part in order.split(2 * BLOCK):
        longest = -(-int(total[part[-1]]) // 16) * 16
        batch = assemble(queries[part], query_lengths[part], chunks[part], lengths[part], longest)
        with torch.autocast(total.device.type, torch.float16, enabled=total.device.type == "cuda"):
            out[part] = model(*batch)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--chooser", required=True, help="LETTER=FOLDER of the model that picks chunks")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=120_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(5)
    started = time.time()
    data = torch.load(options.groups, weights_only=True)
    pieces = WordPieces(options.vocabulary)
    model = next(iter(load_models([options.chooser], device).values()))
    continues = torch.tensor(pieces.continuation_flags(), device=device)
    target = Target(lexical=data["lexical_weight"])
    hidden = draw_hidden(data, options.queries, torch.Generator().manual_seed(5))
    passages, passage_lengths = data["passages"].to(device), data["passage_lengths"].to(device)
    vectors, families = data["vectors"].to(device), data["families"].to(device)
    names = ("chunks", "lengths", "owners", "columns", "scores", "centroids")
    kept: dict[str, list[Tensor]] = {name: [] for name in names}
    for rows in hidden.split(BLOCK):
        candidates = data["candidates"][rows].to(device).long()
        columns = torch.arange(candidates.shape[1], device=device).expand(len(rows), -1)
        related = families[candidates] == families[candidates[:, :1]]
        wanted = target.logits(
            data["cosine"][rows].to(device).float(),
            data["lexical"][rows].to(device).float(),
            target.bonus(data["kinds"][rows].to(device).long(), columns, related),
        )
        best = best_columns(candidates, wanted)
        feedback = vectors[candidates.gather(1, best)].float().mean(1)
        kept["centroids"].append(feedback.half().cpu().repeat_interleave(CHUNKS_PER_QUERY, 0))
        best = best.repeat_interleave(WINDOWS_PER_DOCUMENT, 1)
        documents = candidates.gather(1, best).flatten()
        chunks, lengths = cut_windows(passages[documents], passage_lengths[documents], continues)
        queries = data["queries"][rows].to(device).repeat_interleave(best.shape[1], 0)
        query_lengths = data["query_lengths"][rows].to(device).repeat_interleave(best.shape[1], 0)
        scores = suitability(model, queries, query_lengths, chunks, lengths).view(len(rows), -1)
        top = scores.topk(CHUNKS_PER_QUERY, 1).indices
        flat = (torch.arange(len(rows), device=device)[:, None] * best.shape[1] + top).flatten()
        kept["chunks"].append(chunks[flat].cpu())
        kept["lengths"].append(lengths[flat].cpu())
        kept["owners"].append(rows.repeat_interleave(CHUNKS_PER_QUERY))
        kept["columns"].append(best.gather(1, top).flatten().cpu())
        kept["scores"].append(scores.gather(1, top).flatten().cpu())
    out = {name: torch.cat(parts) for name, parts in kept.items()}
    log(f"{len(out['chunks'])} chunks for {len(hidden)} hidden queries, {time.time() - started:.1f} s")
    table, lengths = out["chunks"].numpy(), out["lengths"].numpy()
    texts = [pieces.decode(row[:n].tolist()) for row, n in zip(table, lengths, strict=True)]
    out["vectors"] = Teacher(options.teacher, device).encode(texts, TEXT).cpu()
    torch.save(out, options.out)
    scores = out["scores"].numpy()
    log("score of the chunks:", np.percentile(scores, [1, 10, 50, 90, 99]).round(2))
    for number in range(0, len(texts), max(1, len(texts) // 12)):
        owner = int(out["owners"][number])
        query = pieces.decode(data["queries"][owner, : data["query_lengths"][owner]].tolist())
        log(f"[{query}] → [{texts[number]}] {scores[number]:.1f}")
    log(f"written, {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()
