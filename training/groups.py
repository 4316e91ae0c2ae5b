"""Training batches: a query with eight of its candidates, as token ids, and the target of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .mine import LIST_LENGTH, RANDOM
from .queries import CHUNK, FEEDBACK, KEYWORDS, MANY, NEED, QUESTION, SENTENCE, TITLE, WEB
from .text import CLS, SEP

CANDIDATES = 8
# shares of the kinds of queries among the groups that are not chunks
SHARES = {QUESTION: 0.26, WEB: 0.2, MANY: 0.06, TITLE: 0.17, KEYWORDS: 0.14, SENTENCE: 0.1, NEED: 0.07}


# The rows of a batch in order of length, as parts that are padded to a length each: shapes stay fixed, and little is padding.
PARTS = (0.25, 0.25, 0.2, 0.15, 0.1, 0.05)
GROUPS, LONGEST = 256, 320


@dataclass(frozen=True)
class Target:
    """The log-odds that a model should give a pair: teacher, shared words and label in one number.

    z* = cosine·(cos − centre) + lexical·(share − lexical_centre) + bonus. The bonus is for a labelled source, and for the
    passages of its family where a family is what a query asks for. A chunk chosen for a hidden query has
    z* = level + own·u(cos(chunk, d)) + centroid·u(cos(d, F)) + hidden·z*(query, d) + chunk_bonus, where cos(d, F) is the mean
    cosine to the ten feedback documents of the hidden query, u standardises, and the bonus is for documents with a label.
    """

    cosine: float = 16.0
    centre: float = 0.42
    lexical: float = 8.0
    lexical_centre: float = 0.25
    question_bonus: float = 3.0
    title_bonus: float = 2.0
    keywords_bonus: float = 1.0
    title_family_bonus: float = 1.0
    level: float = -0.5
    own: float = 1.5
    centroid: float = 1.0
    hidden: float = 0.15
    chunk_bonus: float = 1.0

    def bonus(self, kinds: Tensor, columns: Tensor, related: Tensor) -> Tensor:
        """Column 0 of a list is the source; `related` candidates are of its family."""
        source, family = torch.zeros(2, FEEDBACK + 1, device=kinds.device)
        source[QUESTION] = source[MANY] = family[MANY] = self.question_bonus
        source[TITLE], family[TITLE] = self.title_bonus, self.title_family_bonus
        source[KEYWORDS] = self.keywords_bonus
        return torch.where(columns == 0, source[kinds][:, None], torch.where(related, family[kinds][:, None], 0.0))

    def logits(self, cosine: Tensor, lexical: Tensor, bonus: Tensor) -> Tensor:
        """z* of a query's candidates."""
        return self.cosine * (cosine - self.centre) + self.lexical * (lexical - self.lexical_centre) + bonus

    def of(self, batch: Batch) -> Tensor:
        """Targets [groups, candidates] of a batch of training groups."""
        bonus = self.bonus(batch.kinds, batch.columns, batch.related)
        z = self.logits(batch.cosine, batch.lexical, bonus)
        chunk = (
            self.level
            + self.own * batch.chunk_cosine
            + self.centroid * batch.centroid_cosine
            + self.hidden * z
            + self.chunk_bonus * (bonus > 0)
        )
        return torch.where(batch.feedback[:, None], chunk, z)


@dataclass
class Batch:
    """Groups as token ids, segments and mask, and what their targets are made of [groups, 8] and [groups]."""

    parts: list[tuple[Tensor, Tensor, Tensor]]
    """Rows [rows, length] by length, shortest first."""
    places: Tensor
    """Where each of the groups·8 rows stands in the parts."""
    cosine: Tensor
    lexical: Tensor
    chunk_cosine: Tensor
    """Standardised over the candidates of chunks, as is the next."""
    centroid_cosine: Tensor
    columns: Tensor
    related: Tensor
    """The candidate is of the family of the source."""
    kinds: Tensor
    """The kind of the query, or of the hidden query of a chunk."""
    feedback: Tensor


@dataclass
class Mixture:
    """What a model is trained on: the groups' chances, summed up, and the length of each part of a batch."""

    cumulative: Tensor
    lengths: list[int]


class Groups:
    """All groups on the device, drawn by kind.

    With `feedback`, the chunks are those of training.feedback. Without, they are plain ten-word queries.
    """

    def __init__(self, path: Path, feedback: Path | None, device: torch.device, count: int = GROUPS) -> None:
        self.count, self.device = count, device
        data = torch.load(path, weights_only=True)
        self.passages, self.queries = data["passages"].to(device), data["queries"].to(device)
        self.passage_lengths, self.query_lengths = (
            data["passage_lengths"].to(device),
            data["query_lengths"].to(device),
        )
        self.candidates, self.kinds = data["candidates"].to(device), data["kinds"].to(device).long()
        self.cosine, self.lexical = data["cosine"].to(device), data["lexical"].to(device)
        self.vectors = data["vectors"].to(device)
        self.families, weights = data["families"].to(device), data["weights"].to(device)
        self.lexical_weight: float = data["lexical_weight"]
        self.moments = (0.0, 1.0), (0.0, 1.0)
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
            weights = torch.cat([weights, torch.ones(len(chunks["owners"]), device=device)])
        self.row_kinds, self.row_weights = kinds, weights
        self.chunk_kind = FEEDBACK if feedback else CHUNK
        if feedback:
            self.moments = self.measure()

    def measure(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Mean and deviation of the two cosines of chunks, over drawn candidates."""
        mixture = self.mixture(1.0)
        drawn = [(b.chunk_cosine, b.centroid_cosine) for b in (self.batch(mixture) for _ in range(32))]
        own, centroid = (torch.cat(parts) for parts in zip(*drawn, strict=True))
        return (float(own.mean()), float(own.std())), (float(centroid.mean()), float(centroid.std()))

    def mixture(self, chunk_share: float) -> Mixture:
        """Groups of which `chunk_share` are chunks."""
        kinds, weights = self.row_kinds, self.row_weights
        counts = torch.zeros(FEEDBACK + 1, device=self.device).index_add_(0, kinds, weights).clamp(min=1e-9)
        share = torch.zeros(FEEDBACK + 1, device=self.device)
        for kind, value in SHARES.items():
            share[kind] = value / sum(SHARES.values()) * (1 - chunk_share)
        share[self.chunk_kind] = chunk_share
        mixture = Mixture(((share / counts)[kinds] * weights).double().cumsum(0), [])
        drawn = [self.draw(mixture) for _ in range(16)]
        longest = torch.stack([self.row_lengths(*d).sort().values for d in drawn]).amax(0)
        for end in self.ends():
            mixture.lengths.append(min(LONGEST, -(-int(longest[end - 1]) // 16) * 16))
        return mixture

    def ends(self) -> list[int]:
        """The end of each part, in rows."""
        rows = self.count * CANDIDATES
        return [*(max(1, round(rows * sum(PARTS[: n + 1]))) for n in range(len(PARTS) - 1)), rows]

    def draw(self, mixture: Mixture) -> tuple[Tensor, Tensor, Tensor]:
        """Group numbers for one batch, the columns of their candidates, and the candidates [groups, 8]."""
        cumulative = mixture.cumulative
        point = torch.rand(self.count, device=self.device, dtype=torch.float64) * cumulative[-1]
        rows = torch.searchsorted(cumulative, point).clamp(max=len(cumulative) - 1)
        columns = self.columns(rows)
        return rows, columns, self.candidates[self.owners[rows]].gather(1, columns).long()

    def row_lengths(self, rows: Tensor, columns: Tensor, numbers: Tensor) -> Tensor:
        return (self.query_lengths[rows][:, None] + self.passage_lengths[numbers] + 3).flatten()

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

    def batch(self, mixture: Mixture) -> Batch:
        rows, columns, candidates = self.draw(mixture)
        owners, numbers = self.owners[rows], candidates.flatten()
        order = self.row_lengths(rows, columns, candidates).argsort()
        parts = []
        start = 0
        for end, length in zip(self.ends(), mixture.lengths, strict=True):
            part = order[start:end]
            query, passage = rows[part // CANDIDATES], numbers[part]
            parts.append(
                assemble(
                    self.queries[query],
                    self.query_lengths[query],
                    self.passages[passage],
                    self.passage_lengths[passage],
                    length,
                )
            )
            start = end
        feedback = rows >= self.first_chunk
        chunk = (rows - self.first_chunk).clamp(min=0)
        vectors = self.vectors[numbers].view(len(rows), CANDIDATES, -1).float()
        families = self.families[numbers].view(len(rows), CANDIDATES)
        (own_mean, own_deviation), (centroid_mean, centroid_deviation) = self.moments
        own = (vectors * self.chunk_vectors[chunk][:, None].float()).sum(2)
        centroid = (vectors * self.centroids[chunk][:, None].float()).sum(2)
        return Batch(
            parts,
            order.argsort(),
            self.cosine[owners].gather(1, columns).float(),
            self.lexical[owners].gather(1, columns).float(),
            (own - own_mean) / own_deviation,
            (centroid - centroid_mean) / centroid_deviation,
            columns,
            families == self.families[self.candidates[owners][:, :1].long()],
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
