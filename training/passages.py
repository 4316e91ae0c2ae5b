"""Passages of documents, in the lengths that re-ranking scores.

These are windows of about 100 words, whole short documents and chunks of ten words. Lengths count words as the
vocabulary splits them, punctuation included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_PASSAGE_PIECES = 208
MIN_PASSAGE_WORDS = 8
SENTENCES, WINDOWS, SHORT, CHUNKS = range(4)
STYLE_SHARES = (0.36, 0.3, 0.29, 0.05)


@dataclass
class Vocabulary:
    """Properties of each piece that decide where passages and queries begin and end."""

    continues: np.ndarray
    """The piece continues a word."""
    ends_sentence: np.ndarray
    salience: np.ndarray
    """Weight of a word that starts with this piece as a keyword; 0 for common and odd ones."""
    common: np.ndarray
    """The piece starts a word that terse queries leave out."""
    punctuation: np.ndarray


def vocabulary(pieces: list[str], counts: np.ndarray) -> Vocabulary:
    """Salience is the log of the inverse collection frequency."""
    total = counts.sum()
    share = counts / total
    wordlike = np.array([p.isalpha() and len(p) > 2 for p in pieces])
    salience = np.where(wordlike & (share < 1e-3), np.log(total / (counts + 10.0)), 0.0)
    return Vocabulary(
        continues=np.array([p.startswith("##") for p in pieces]),
        ends_sentence=np.array([p in (".", "?", "!") for p in pieces]),
        salience=np.maximum(salience, 0.0) ** 3,
        common=share >= 1e-3,
        punctuation=np.array([len(p) == 1 and not p.isalnum() for p in pieces]),
    )


def word_starts(pieces: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
    """Positions where words start, and the end of the text as a last entry."""
    starts = np.flatnonzero(~vocabulary.continues[pieces])
    if len(starts) == 0 or starts[0] != 0:
        starts = np.concatenate([[0], starts])
    return np.append(starts, len(pieces))


def sentence_starts(
    pieces: np.ndarray, words: np.ndarray, vocabulary: Vocabulary, shortest: int = 5
) -> list[int]:
    """Sentences as indices into `words`; the last entry is the number of words."""
    count = len(words) - 1
    ends = np.flatnonzero(vocabulary.ends_sentence[pieces[words[:-1]]]) + 1
    starts = [0]
    for end in ends:
        if end - starts[-1] >= shortest and end < count:
            starts.append(int(end))
    if count - starts[-1] < shortest and len(starts) > 1:
        starts.pop()
    return [*starts, count]


def choose_style(family: int) -> int:
    """One style for all documents of a family, so that a part of the corpus holds whole families."""
    u = (family * 2654435761 % 2**32) / 2**32
    return int(np.searchsorted(np.cumsum(STYLE_SHARES), u, side="right").clip(0, 3))


def cut(style: int, sentences: list[int], rng: np.random.Generator) -> list[tuple[int, int]]:
    """Passages as (first word, end word)."""
    count = sentences[-1]
    if style == SENTENCES or style == SHORT:
        cuts = []
        start = 0
        goal = rng.integers(12, 60) if style == SHORT else rng.integers(85, 130)
        for end in sentences[1:]:
            if end - start >= goal or end == count:
                cuts.append((start, end))
                start = end
                goal = rng.integers(12, 60) if style == SHORT else rng.integers(85, 130)
    else:
        low, high = (9, 14) if style == CHUNKS else (95, 140)
        cuts = []
        start = 0
        while start < count:
            end = min(count, start + int(rng.integers(low, high)))
            cuts.append((start, end))
            start = end
    smallest = MIN_PASSAGE_WORDS if style in (CHUNKS, SHORT) else 25
    if len(cuts) > 1 and cuts[-1][1] - cuts[-1][0] < smallest:
        last = cuts.pop()
        cuts[-1] = (cuts[-1][0], last[1])
    return cuts
