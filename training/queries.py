"""Queries made of documents: titles, keywords, sentences, long information needs and ten-word chunks."""

from __future__ import annotations

import numpy as np

from .passages import Vocabulary

QUESTION, TITLE, KEYWORDS, SENTENCE, NEED, CHUNK = range(6)
WEB = 6  # a question without a known passage
MANY = 7  # a question whose relevant passages are one family
FEEDBACK = 8  # chunks of the other queries' candidates (feedback.py)
KINDS = ("question", "title", "keywords", "sentence", "need", "chunk", "web", "many")
MAX_QUERY_PIECES = 126

# Phrases that people put in front of a subject.
FRAMES = (
    "what is known about",
    "what are",
    "how to",
    "papers on",
    "information about",
    "i am interested in",
    "studies of",
    "what methods are there for",
    "has anyone investigated",
    "the effect of",
    "articles dealing with",
    "describe",
    "is there any work on",
    "explain",
    "what causes",
    "i would like to find documents about",
    "what is",
    "what is",
    "what is a",
    "who is",
    "who was",
    "where is",
    "when was",
    "define",
    "definition of",
    "meaning of",
    "types of",
    "history of",
    "why is",
    "how does",
    "how do",
    "examples of",
    "causes of",
    "facts about",
    "what does",
    "what kind of",
    "what is the purpose of",
    "what is the difference between",
)


def gather(pieces: np.ndarray, words: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The pieces of the chosen words, in the order given."""
    return np.concatenate([pieces[words[w] : words[w + 1]] for w in chosen])


def keywords(
    pieces: np.ndarray,
    words: np.ndarray,
    first: int,
    end: int,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """One to seven salient words of a passage; runs of words stay together half of the time."""
    heads = pieces[words[first:end]]
    weight = vocabulary.salience[heads].copy()
    weight[np.diff(words[first : end + 1]) > 4] = 0
    if np.count_nonzero(weight) < 4:
        return None
    # a word said more than once is likelier to be what the passage is about
    _, inverse, repeats = np.unique(heads, return_inverse=True, return_counts=True)
    weight *= np.sqrt(repeats[inverse])
    goal = int(rng.choice([1, 2, 3, 4, 5, 6, 7], p=[0.06, 0.24, 0.26, 0.2, 0.12, 0.07, 0.05]))
    chosen: list[int] = []
    seen: set[int] = set()
    for seed in rng.choice(
        len(heads), size=min(8, np.count_nonzero(weight)), replace=False, p=weight / weight.sum()
    ):
        run = [int(seed)]
        if rng.random() < 0.5 and seed + 1 < len(heads) and weight[seed + 1] > 0:
            run.append(int(seed) + 1)
        for word in run:
            if int(heads[word]) not in seen and len(chosen) < goal:
                seen.add(int(heads[word]))
                chosen.append(word)
        if len(chosen) >= goal:
            break
    if rng.random() < 0.5:
        chosen.sort()
    return gather(pieces, words, np.array(chosen) + first)


def terse(
    pieces: np.ndarray,
    words: np.ndarray,
    first: int,
    end: int,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """A sentence without most of its common words and some of the others."""
    common = vocabulary.common[pieces[words[first:end]]]
    keep = rng.random(end - first) < np.where(common, 0.2, 0.8)
    if keep.sum() < 3:
        return None
    return gather(pieces, words, np.flatnonzero(keep) + first)


def sentence(
    pieces: np.ndarray,
    words: np.ndarray,
    sentences: list[int],
    inside: tuple[int, int],
    vocabulary: Vocabulary,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """One sentence of the passage, whole (a claim) or terse."""
    options = [
        (a, b)
        for a, b in zip(sentences, sentences[1:], strict=False)
        if a >= inside[0] and b <= inside[1] and 6 <= b - a <= 50
    ]
    if not options:
        return None
    first, end = options[int(rng.integers(len(options)))]
    if rng.random() < 0.3:
        return terse(pieces, words, first, end, vocabulary, rng)
    if vocabulary.ends_sentence[pieces[words[end - 1]]] and rng.random() < 0.5:
        end -= 1
    return pieces[words[first] : words[end]]


def need(
    pieces: np.ndarray, words: np.ndarray, sentences: list[int], rng: np.random.Generator
) -> tuple[np.ndarray, tuple[int, int]] | None:
    """Two to four sentences in a row, a long statement of an information need, and the words it covers."""
    count = int(rng.integers(2, 5))
    if len(sentences) - 1 < count + 1:
        return None
    at = int(rng.integers(len(sentences) - count))
    first, end = sentences[at], sentences[at + count]
    if not 25 <= end - first <= 110:
        return None
    return pieces[words[first] : words[end]], (first, end)


def chunk(
    words: np.ndarray, pieces: np.ndarray, first: int, end: int, rng: np.random.Generator
) -> np.ndarray | None:
    """About ten words (eleven or twelve with punctuation), starting anywhere."""
    length = int(rng.integers(9, 14)) if rng.random() < 0.8 else int(rng.integers(5, 20))
    if end - first < length:
        return None
    at = first + int(rng.integers(end - first - length + 1))
    return pieces[words[at] : words[at + length]]


def framed(title: np.ndarray, frames: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """A title, in one case of three behind a frame."""
    if rng.random() < 0.33:
        return np.concatenate([frames[int(rng.integers(len(frames)))], title])
    return title
