"""Passages and queries of the corpus, as arrays.

    python -m training.dataset --corpus DIR --vocabulary models/tiny --out DIR
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import queries as q
from .passages import (
    CHUNKS,
    MAX_PASSAGE_PIECES,
    WINDOWS,
    Vocabulary,
    choose_style,
    cut,
    sentence_starts,
    vocabulary,
    word_starts,
)
from .text import VOCABULARY_SIZE, WordPieces

TITLE_PIECES = 30
# queries drawn per passage of about 100 words
RATES = {q.KEYWORDS: 0.45, q.SENTENCE: 0.55, q.NEED: 0.3, q.CHUNK: 0.7}


@dataclass
class Ragged:
    """Rows of different lengths in one flat array."""

    values: np.ndarray
    ends: np.ndarray

    @staticmethod
    def of(values: np.ndarray, lengths: np.ndarray) -> Ragged:
        return Ragged(values, np.concatenate([[0], np.cumsum(lengths.astype(np.int64))]))

    def __getitem__(self, row: int) -> np.ndarray:
        return self.values[self.ends[row] : self.ends[row + 1]]

    def __len__(self) -> int:
        return len(self.ends) - 1


class Corpus:
    """All parts as one numbering of documents."""

    def __init__(self, folder: Path) -> None:
        parts = [np.load(p) for p in sorted(folder.glob("corpus-*.npz"))]
        if not parts:
            raise FileNotFoundError(f"no corpus-*.npz in {folder}: run training.prepare first")

        def both(name: str) -> np.ndarray:
            return np.concatenate([p[name] for p in parts])

        self.body = Ragged.of(both("body"), both("body_lengths"))
        self.title = Ragged.of(both("title"), both("title_lengths"))
        self.heading = Ragged.of(both("heading"), both("heading_lengths"))
        self.question = Ragged.of(both("question"), both("question_lengths"))
        self.family = both("family")
        self.source = both("source")
        first = np.cumsum([0] + [len(p["family"]) for p in parts])
        self.question_document = np.concatenate(
            [p["question_document"] + f for p, f in zip(parts, first, strict=False)]
        )
        order = np.argsort(self.question_document, kind="stable")
        self.question_is_many = both("question_is_many")
        self.question_weight = np.bincount(both("question_source"))[both("question_source")] ** -0.5
        self.web = Ragged.of(both("web_question"), both("web_question_lengths"))
        self.questions_by_document = Ragged(
            order, np.searchsorted(self.question_document[order], np.arange(len(self.family) + 1))
        )


@dataclass
class Rows:
    """Passages and queries of one worker, numbered from zero."""

    passages: list[np.ndarray]
    passage_family: list[int]
    passage_is_chunk: list[bool]
    queries: list[np.ndarray]
    kinds: list[int]
    weights: list[float]
    """How often a query is drawn, beside others of its kind."""
    sources: list[int]
    """The passage a query belongs to: first candidate of its group."""
    excluded: list[int]
    """A passage that holds the query's own words and must not be mined, or -1."""


STATE: dict[str, object] = {}


def overlap_best(question: np.ndarray, passages: list[np.ndarray], salience: np.ndarray) -> int:
    """The number of the window of an answer that shares most with its question."""
    wanted = np.unique(question)
    return int(np.argmax([salience[np.intersect1d(wanted, p)].sum() for p in passages]))


def as_typed(question: np.ndarray, words_of: Vocabulary, rng: np.random.Generator) -> np.ndarray:
    """A question, in one case of two without its question mark, as people type it."""
    bare = len(question) > 1 and words_of.ends_sentence[question[-1]] and rng.random() < 0.5
    return question[:-1] if bare else question


def make_document(
    number: int,
    corpus: Corpus,
    words_of: Vocabulary,
    frames: list[np.ndarray],
    rows: Rows,
    rng: np.random.Generator,
) -> None:
    pieces = corpus.body[number]
    family = int(corpus.family[number])
    if len(pieces) < 8:
        return
    words = word_starts(pieces, words_of)
    sentences = sentence_starts(pieces, words, words_of)
    style = choose_style(family)
    mine = corpus.questions_by_document[number]
    if len(mine) and style != CHUNKS:
        style = WINDOWS
    cuts = cut(style, sentences, rng)
    title = corpus.title[number][:TITLE_PIECES]
    # a title in front of the passages cannot be the query as well
    prefixed = len(title) > 0 and style != CHUNKS and family % 2 == 0
    # some collections and many queries have no punctuation
    bare = family % 10 == 3
    first_passage = len(rows.passages)
    made = []
    for first, end in cuts:
        passage = pieces[words[first] : words[end]]
        if prefixed:
            passage = np.concatenate([title, passage])
        if bare:
            passage = passage[~words_of.punctuation[passage]]
        made.append(passage[:MAX_PASSAGE_PIECES])
        rows.passages.append(made[-1])
        rows.passage_family.append(family)
        rows.passage_is_chunk.append(style == CHUNKS)

    def add(
        kind: int, query: np.ndarray | None, source: int, excluded: int = -1, weight: float = 1.0
    ) -> None:
        if query is not None and bare:
            query = query[~words_of.punctuation[query]]
        if query is not None and len(query) > 0:
            rows.queries.append(query[: q.MAX_QUERY_PIECES])
            rows.kinds.append(kind)
            rows.weights.append(weight)
            rows.sources.append(first_passage + source)
            rows.excluded.append(first_passage + excluded if excluded >= 0 else -1)

    for row in mine:
        question = as_typed(corpus.question[int(row)], words_of, rng)
        kind = q.MANY if corpus.question_is_many[row] else q.QUESTION
        best = overlap_best(question, made, words_of.salience) if len(made) > 1 else 0
        add(kind, question, best, weight=float(corpus.question_weight[row]))
    heading = corpus.heading[number]
    if not prefixed and len(title):
        name = np.concatenate([title, heading]) if len(heading) else title
        source = 0 if rng.random() < 0.6 else int(rng.integers(len(made)))
        if len(heading) or corpus.source[number] != 0 or rng.random() < 0.5:
            add(q.TITLE, q.framed(name, frames, rng), source)
    elif prefixed and len(heading) and rng.random() < 0.3:
        add(q.TITLE, np.concatenate([title, heading]), int(rng.integers(len(made))))

    count = len(words) - 1
    for kind, rate in RATES.items():
        for _ in range(int(rng.poisson(rate * count / 115))):
            here = int(rng.integers(len(cuts)))
            span = cuts[here]
            sibling = here + 1 if here + 1 < len(cuts) else here - 1
            apart = sibling if sibling >= 0 and style != CHUNKS and rng.random() < 0.7 else here
            excluded = here if apart != here else -1
            if style == CHUNKS:
                around = (max(0, span[0] - 50), min(count, span[1] + 50))
            else:
                around = span
            if kind == q.KEYWORDS:
                add(kind, q.keywords(pieces, words, *around, words_of, rng), here)
            elif kind == q.SENTENCE:
                add(kind, q.sentence(pieces, words, sentences, around, words_of, rng), apart, excluded)
            elif kind == q.CHUNK:
                add(kind, q.chunk(words, pieces, *around, rng), apart, excluded)
            else:
                found = q.need(pieces, words, sentences, rng)
                if found:
                    covered = [i for i, (a, b) in enumerate(cuts) if a < found[1][1] and b > found[1][0]]
                    free = [i for i in range(len(cuts)) if i not in covered]
                    add(kind, found[0], free[0] if free else covered[0], covered[0] if free else -1)


def make_documents(numbers: np.ndarray) -> tuple[np.ndarray, ...]:
    """The rows of one worker, packed into arrays."""
    rows = Rows([], [], [], [], [], [], [], [])
    for number in numbers:
        rng = np.random.default_rng([17, int(number)])
        make_document(int(number), STATE["corpus"], STATE["vocabulary"], STATE["frames"], rows, rng)
    empty = [np.zeros(0, dtype=np.uint16)]
    return (
        np.concatenate(rows.passages or empty).astype(np.uint16),
        np.array([len(p) for p in rows.passages], dtype=np.int32),
        np.array(rows.passage_family, dtype=np.int32),
        np.array(rows.passage_is_chunk, dtype=bool),
        np.concatenate(rows.queries or empty).astype(np.uint16),
        np.array([len(x) for x in rows.queries], dtype=np.int32),
        np.array(rows.kinds, dtype=np.uint8),
        np.array(rows.sources, dtype=np.int64),
        np.array(rows.excluded, dtype=np.int64),
        np.array(rows.weights, dtype=np.float32),
    )


def build(
    corpus_folder: Path, vocabulary_folder: Path, workers: int, limit: int | None = None
) -> dict[str, np.ndarray]:
    """All passages and queries, or those of about `limit` documents, evenly spread."""
    corpus = Corpus(corpus_folder)
    pieces = WordPieces(vocabulary_folder)
    counts = np.bincount(corpus.body.values, minlength=VOCABULARY_SIZE)
    STATE["corpus"] = corpus
    STATE["vocabulary"] = vocabulary(pieces.pieces, counts)
    STATE["frames"] = [np.array(ids, dtype=np.uint16) for ids in pieces.encode(list(q.FRAMES))]
    documents = np.arange(len(corpus.body))
    if limit:
        documents = documents[:: max(1, len(documents) // limit)]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        parts = pool.map(make_documents, np.array_split(documents, workers * 8), chunksize=1)
    first = np.cumsum([0] + [len(p[1]) for p in parts])
    sources = [p[7] + f for p, f in zip(parts, first, strict=False)]
    excluded = [np.where(p[8] >= 0, p[8] + f, -1) for p, f in zip(parts, first, strict=False)]
    source = np.concatenate(sources)
    count = len(corpus.web)
    rng = np.random.default_rng(19)
    web = [as_typed(corpus.web[row], STATE["vocabulary"], rng) for row in range(count)]
    return {
        "passage": np.concatenate([p[0] for p in parts]),
        "passage_lengths": np.concatenate([p[1] for p in parts]),
        "passage_family": np.concatenate([p[2] for p in parts]),
        "passage_is_chunk": np.concatenate([p[3] for p in parts]),
        "query": np.concatenate([*(p[4] for p in parts), *web]).astype(np.uint16),
        "query_lengths": np.concatenate([*(p[5] for p in parts), [len(question) for question in web]]).astype(np.int32),
        "query_kind": np.concatenate([*(p[6] for p in parts), np.full(count, q.WEB, np.uint8)]),
        "query_weight": np.concatenate([*(p[9] for p in parts), np.ones(count, np.float32)]),
        # a web question's passage is the one nearest to it by the teacher (training.mine)
        "query_source": np.concatenate([source, np.full(count, -1)]).astype(np.int32),
        "query_excluded": np.concatenate([*excluded, np.full(count, -1)]).astype(np.int32),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--limit", type=int, help="documents, for a trial")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    start = time.time()
    data = build(options.corpus, options.vocabulary, options.workers, options.limit)
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez(options.out / "dataset.npz", **data)
    kinds = np.bincount(data["query_kind"], minlength=len(q.KINDS))
    print(f"{len(data['passage_lengths'])} passages, {len(data['passage'])} pieces;", end=" ")
    print(
        ", ".join(f"{n} {k}" for n, k in zip(kinds, q.KINDS, strict=True)), f"; {time.time() - start:.1f} s"
    )


if __name__ == "__main__":
    main()
