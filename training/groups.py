"""Training batches: a query with eight of its candidates, as token ids, and the target of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .mine import LIST_LENGTH, RANDOM
from .queries import CHUNK, FEEDBACK, KEYWORDS, NEED, QUESTION, SENTENCE, TITLE
from .text import CLS, SEP

CANDIDATES = 8
# shares of the kinds of queries among the groups that are not chunks
SHARES = {QUESTION: 0.22, TITLE: 0.15, KEYWORDS: 0.15, SENTENCE: 0.17, NEED: 0.12}


@dataclass(frozen=True)
class Bucket:
    """Queries up to a length share a sequence length and a batch size, so that shapes stay fixed."""

    query_pieces: int
    length: int
    groups: int


BUCKETS = (Bucket(20, 176, 112), Bucket(52, 224, 88), Bucket(126, 336, 56))


@dataclass(frozen=True)
class Target:
    """The log-odds that a model should give a pair: teacher, shared words and label in one number.

    z* = cosine·(cos − centre) + lexical·(share − lexical_centre) + bonus. Only a labelled source has a bonus.
    A chunk chosen for a hidden query has z* = own·(cos(chunk, d) − centre) + centroid·(cos(d, F) − centroid_centre),
    where cos(d, F) is the mean cosine to the ten feedback documents of the hidden query.
    """

    cosine: float = 16.0
    centre: float = 0.42
    lexical: float = 8.0
    lexical_centre: float = 0.25
    question_bonus: float = 3.0
    title_bonus: float = 2.0
    keywords_bonus: float = 1.0
    own: float = 10.0
    centroid: float = 8.0
    centroid_centre: float = 0.3

    def logits(self, cosine: Tensor, lexical: Tensor, kinds: Tensor, columns: Tensor) -> Tensor:
        """z* of a query's candidates. Column 0 of its list is the source."""
        z = self.cosine * (cosine - self.centre) + self.lexical * (lexical - self.lexical_centre)
        bonus = torch.zeros(FEEDBACK + 1, device=z.device)
        bonus[QUESTION], bonus[TITLE], bonus[KEYWORDS] = (
            self.question_bonus,
            self.title_bonus,
            self.keywords_bonus,
        )
        return z + torch.where(columns == 0, bonus[kinds][:, None], 0.0)

    def of(self, batch: Batch) -> Tensor:
        """Targets [groups, candidates] of a batch of training groups."""
        z = self.logits(batch.cosine, batch.lexical, batch.kinds, batch.columns)
        chunk = self.own * (batch.chunk_cosine - self.centre) + self.centroid * (
            batch.centroid_cosine - self.centroid_centre
        )
        return torch.where(batch.feedback[:, None], chunk, z)


@dataclass
class Batch:
    """Groups as token ids [groups·8, length], and the parts of their targets [groups, 8] and [groups]."""

    ids: Tensor
    segments: Tensor
    mask: Tensor
    cosine: Tensor
    lexical: Tensor
    chunk_cosine: Tensor
    centroid_cosine: Tensor
    columns: Tensor
    kinds: Tensor
    """The kind of the query, or of the hidden query of a chunk."""
    feedback: Tensor


class Groups:
    """All groups on the device, drawn by kind and length. `chunk_share` of them are chunks.

    With `feedback`, the chunks are those of training.feedback. Without, they are plain ten-word queries.
    """

    def __init__(
        self,
        path: Path,
        feedback: Path | None,
        chunk_share: float,
        device: torch.device,
        buckets: tuple[Bucket, ...] = BUCKETS,
    ) -> None:
        self.buckets, self.device = buckets, device
        data = torch.load(path, weights_only=True)
        self.passages, self.queries = data["passages"].to(device), data["queries"].to(device)
        self.passage_lengths, self.query_lengths = (
            data["passage_lengths"].to(device),
            data["query_lengths"].to(device),
        )
        self.candidates, self.kinds = data["candidates"].to(device), data["kinds"].to(device).long()
        self.cosine, self.lexical = data["cosine"].to(device), data["lexical"].to(device)
        self.vectors = data["vectors"].to(device)
        self.first_chunk = len(self.queries)
        self.owners = torch.arange(self.first_chunk, device=device)
        self.source_columns = torch.zeros_like(self.owners)
        self.chunk_vectors = self.centroids = torch.zeros(1, self.vectors.shape[1], device=device)
        kinds = self.kinds
        if feedback:
            chunks = {
                name: tensor.to(device) for name, tensor in torch.load(feedback, weights_only=True).items()
            }
            wide = torch.zeros(len(chunks["chunks"]), self.queries.shape[1], dtype=torch.int16, device=device)
            wide[:, : chunks["chunks"].shape[1]] = chunks["chunks"]
            self.queries = torch.cat([self.queries, wide])
            self.query_lengths = torch.cat([self.query_lengths, chunks["lengths"]])
            self.owners = torch.cat([self.owners, chunks["owners"]])
            self.source_columns = torch.cat([self.source_columns, chunks["columns"]])
            self.chunk_vectors, self.centroids = chunks["vectors"], chunks["centroids"]
            kinds = torch.cat([kinds, torch.full_like(chunks["owners"], FEEDBACK)])
        self.share(kinds, FEEDBACK if feedback else CHUNK, chunk_share)

    def share(self, kinds: Tensor, chunk_kind: int, chunk_share: float) -> None:
        """Sets the probability of each group, bucket by bucket."""
        counts = torch.bincount(kinds, minlength=FEEDBACK + 1).clamp(min=1)
        share = torch.zeros(FEEDBACK + 1, device=self.device)
        for kind, value in SHARES.items():
            share[kind] = value / sum(SHARES.values()) * (1 - chunk_share)
        share[chunk_kind] = chunk_share
        weight = (share / counts)[kinds]
        self.members: list[Tensor] = []
        self.cumulative: list[Tensor] = []
        masses = []
        shortest = 0
        for bucket in self.buckets:
            inside = (self.query_lengths > shortest) & (self.query_lengths <= bucket.query_pieces)
            shortest = bucket.query_pieces
            rows = torch.nonzero(inside).squeeze(1)
            self.members.append(rows)
            self.cumulative.append(weight[rows].double().cumsum(0))
            masses.append(float(weight[rows].sum()))
        # a bucket with smaller batches needs more of them for the same share of groups
        steps = torch.tensor([m / b.groups for m, b in zip(masses, self.buckets, strict=True)])
        self.bucket_chances = steps / steps.sum()

    def draw(self, bucket: int) -> Tensor:
        """Group numbers for one batch."""
        cumulative = self.cumulative[bucket]
        point = (
            torch.rand(self.buckets[bucket].groups, device=self.device, dtype=torch.float64) * cumulative[-1]
        )
        return self.members[bucket][torch.searchsorted(cumulative, point).clamp(max=len(cumulative) - 1)]

    def columns(self, rows: Tensor) -> Tensor:
        """Columns of eight candidates: the source, three by words, three by the teacher, one at random.

        Heads of lists are drawn more often than tails. The first candidate of a chunk is, by turns, the document it was
        cut from and the source of its hidden query.
        """

        def ranks(columns: int) -> Tensor:
            u = torch.rand(len(rows), columns, device=self.device)
            return (u.square() * LIST_LENGTH).long().clamp(max=LIST_LENGTH - 1)

        cut_from = torch.rand(len(rows), 1, device=self.device) < 0.5
        source = torch.where(cut_from, self.source_columns[rows][:, None], 0)
        words, teacher = 1 + ranks(3), 1 + LIST_LENGTH + ranks(3)
        anywhere = 1 + 2 * LIST_LENGTH + torch.randint(0, RANDOM, (len(rows), 1), device=self.device)
        return torch.cat([source, words, teacher, anywhere], dim=1)

    def batch(self, bucket: int) -> Batch:
        rows = self.draw(bucket)
        owners = self.owners[rows]
        columns = self.columns(rows)
        numbers = self.candidates[owners].gather(1, columns).long().flatten()
        query_rows = rows.repeat_interleave(CANDIDATES)
        ids, segments, mask = assemble(
            self.queries[query_rows],
            self.query_lengths[query_rows],
            self.passages[numbers],
            self.passage_lengths[numbers],
            self.buckets[bucket].length,
        )
        feedback = rows >= self.first_chunk
        chunk = (rows - self.first_chunk).clamp(min=0)
        vectors = self.vectors[numbers].view(len(rows), CANDIDATES, -1).float()
        return Batch(
            ids,
            segments,
            mask,
            self.cosine[owners].gather(1, columns).float(),
            self.lexical[owners].gather(1, columns).float(),
            (vectors * self.chunk_vectors[chunk][:, None].float()).sum(2),
            (vectors * self.centroids[chunk][:, None].float()).sum(2),
            columns,
            self.kinds[owners],
            feedback,
        )


def assemble(
    queries: Tensor, query_lengths: Tensor, passages: Tensor, passage_lengths: Tensor, length: int
) -> tuple[Tensor, Tensor, Tensor]:
    """[CLS] query [SEP] passage [SEP] with segments 0 and 1, the passage cut to fit."""
    column = torch.arange(length, device=queries.device)[None]
    query_end = query_lengths[:, None]
    passage_end = torch.minimum(passage_lengths[:, None], length - 3 - query_end)
    within = column - query_end - 2
    from_query = queries.gather(
        1, (column - 1).clamp(0, queries.shape[1] - 1).expand(len(queries), -1)
    ).long()
    from_passage = passages.gather(1, within.clamp(0, passages.shape[1] - 1)).long()
    ids = torch.where(column <= query_end, from_query, torch.where(within < passage_end, from_passage, 0))
    ids = torch.where((within == -1) | (within == passage_end), SEP, ids)
    ids[:, 0] = CLS
    mask = within <= passage_end
    return ids, ((within >= 0) & mask).long(), mask
