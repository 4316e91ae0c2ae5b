"""Training batches: a query with a few of its candidates, as token ids, and what the model should say of each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from .mine import LIST_LENGTH, RANDOM
from .queries import CHUNK, KEYWORDS, NEED, QUESTION, SENTENCE, TITLE
from .text import CLS, SEP

CANDIDATES = 8
# how often each kind of query is trained on
SHARES = {QUESTION: 0.22, TITLE: 0.15, KEYWORDS: 0.15, SENTENCE: 0.17, NEED: 0.08, CHUNK: 0.23}


@dataclass(frozen=True)
class Bucket:
    """Queries up to a length share a sequence length and a batch size, so that shapes stay fixed."""

    query_pieces: int
    length: int
    groups: int


BUCKETS = (Bucket(20, 176, 112), Bucket(52, 224, 88), Bucket(126, 336, 56))


@dataclass(frozen=True)
class Target:
    """The log-odds a model should give a pair: teacher, shared words and label in one number.

    z* = cosine·(cos − centre) + lexical·(share − lexical_centre) + bonus, the bonus for a labelled source only.
    """

    cosine: float = 16.0
    centre: float = 0.42
    lexical: float = 8.0
    lexical_centre: float = 0.25
    question_bonus: float = 3.0
    title_bonus: float = 2.0
    keywords_bonus: float = 1.0

    def logits(self, cosine: Tensor, lexical: Tensor, kinds: Tensor) -> Tensor:
        z = self.cosine * (cosine - self.centre) + self.lexical * (lexical - self.lexical_centre)
        bonus = torch.zeros(len(SHARES), device=z.device)
        bonus[QUESTION], bonus[TITLE], bonus[KEYWORDS] = (
            self.question_bonus,
            self.title_bonus,
            self.keywords_bonus,
        )
        return torch.cat([z[:, :1] + bonus[kinds][:, None], z[:, 1:]], dim=1)

    def describe(self) -> str:
        return " ".join(f"{k}={v}" for k, v in asdict(self).items())


class Groups:
    """All mined groups on the device, drawn by kind and length."""

    def __init__(self, path: Path, device: torch.device, buckets: tuple[Bucket, ...] = BUCKETS) -> None:
        self.buckets = buckets
        data = torch.load(path, weights_only=True)
        self.passages, self.queries = data["passages"].to(device), data["queries"].to(device)
        self.passage_lengths, self.query_lengths = (
            data["passage_lengths"].to(device),
            data["query_lengths"].to(device),
        )
        self.candidates, self.kinds = data["candidates"].to(device), data["kinds"].to(device).long()
        self.cosine, self.lexical = data["cosine"].to(device), data["lexical"].to(device)
        self.device = device
        counts = torch.bincount(self.kinds, minlength=len(SHARES)).clamp(min=1)
        share = torch.tensor([SHARES[k] for k in range(len(SHARES))], device=device)
        weight = (share / counts)[self.kinds]
        self.members: list[Tensor] = []
        self.cumulative: list[Tensor] = []
        masses = []
        shortest = 0
        for bucket in buckets:
            inside = (self.query_lengths > shortest) & (self.query_lengths <= bucket.query_pieces)
            shortest = bucket.query_pieces
            rows = torch.nonzero(inside).squeeze(1)
            self.members.append(rows)
            self.cumulative.append(weight[rows].double().cumsum(0))
            masses.append(float(weight[rows].sum()))
        # a bucket with smaller batches needs more of them for the same share of groups
        steps = torch.tensor([m / b.groups for m, b in zip(masses, buckets, strict=True)])
        self.bucket_chances = steps / steps.sum()

    def draw(self, bucket: int) -> Tensor:
        """Group numbers for one batch."""
        cumulative = self.cumulative[bucket]
        point = (
            torch.rand(self.buckets[bucket].groups, device=self.device, dtype=torch.float64) * cumulative[-1]
        )
        return self.members[bucket][torch.searchsorted(cumulative, point).clamp(max=len(cumulative) - 1)]

    def columns(self, count: int) -> Tensor:
        """Which candidates to take: the source, three by words, three by the teacher, one at random.

        The lists' heads are drawn more often than their tails.
        """

        def ranks(columns: int) -> Tensor:
            u = torch.rand(count, columns, device=self.device)
            return (u.square() * LIST_LENGTH).long().clamp(max=LIST_LENGTH - 1)

        source = torch.zeros(count, 1, dtype=torch.long, device=self.device)
        words, teacher = 1 + ranks(3), 1 + LIST_LENGTH + ranks(3)
        anywhere = 1 + 2 * LIST_LENGTH + torch.randint(0, RANDOM, (count, 1), device=self.device)
        return torch.cat([source, words, teacher, anywhere], dim=1)

    def batch(self, bucket: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """ids, segments, mask [groups·8, length]; cosines and word shares [groups, 8]; kinds [groups]."""
        length = self.buckets[bucket].length
        rows = self.draw(bucket)
        columns = self.columns(len(rows))
        numbers = self.candidates[rows].gather(1, columns).long().flatten()
        query_rows = rows.repeat_interleave(CANDIDATES)
        ids, segments, mask = assemble(
            self.queries[query_rows],
            self.query_lengths[query_rows],
            self.passages[numbers],
            self.passage_lengths[numbers],
            length,
        )
        cosine = self.cosine[rows].gather(1, columns).float()
        lexical = self.lexical[rows].gather(1, columns).float()
        return ids, segments, mask, cosine, lexical, self.kinds[rows]


def assemble(
    queries: Tensor, query_lengths: Tensor, passages: Tensor, passage_lengths: Tensor, length: int
) -> tuple[Tensor, Tensor, Tensor]:
    """[CLS] query [SEP] passage [SEP] with segments 0 and 1; the passage gives way where it does not fit."""
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
