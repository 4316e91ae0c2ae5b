"""Development collections with many relevant passages per query, made of Wikipedia articles that never train.

The passages of an article are relevant to a query about it. A query of `wiki_title` is an article's title, half of the
time with a heading (passages of that section have grade 2, the others grade 1). A query of `wiki_need` is the opening
sentences of an article, which are then removed from it.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from .sources import Section, article_share, read_wikipedia_articles
from .text import WordPieces

TRAINING_SHARE = 0.55
PASSAGE_PIECES = 140
ARTICLES, QUERIES = 1600, 100
FEWEST_PASSAGES, MOST_PASSAGES = 6, 40
SEED = 11


def cut(pieces: np.ndarray, sentence_end: int) -> list[np.ndarray]:
    """Passages of about a hundred words that end where a sentence ends."""
    out = []
    start = 0
    ends = np.flatnonzero(pieces == sentence_end) + 1
    for end in [*ends.tolist(), len(pieces)]:
        if end - start >= PASSAGE_PIECES or (end == len(pieces) and end - start >= 30):
            out.append(pieces[start : min(end, start + 2 * PASSAGE_PIECES)])
            start = end
    return out


def ask(
    kind: str,
    sections: list[Section],
    passages: list[tuple[int, np.ndarray]],
    pieces: WordPieces,
    stop: int,
    rng: random.Random,
) -> tuple[str, list[int], list[tuple[int, np.ndarray]]]:
    """A query about an article, the grade of each of its passages, and the passages that are kept."""
    if kind == "wiki_title":
        headed = sorted({n for n, _ in passages if len(sections[n].heading)})
        section = rng.choice(headed) if headed and rng.random() < 0.5 else -1
        words = sections[0].title.tolist()
        if section >= 0:
            words += sections[section].heading.tolist()
    else:
        section = -1
        opening = passages[0][1]
        ends = np.flatnonzero(opening == stop)
        words = opening[: int(ends[min(1, len(ends) - 1)]) if len(ends) else 60].tolist()
        passages = passages[1:]
    return pieces.decode(words), [2 if n == section else 1 for n, _ in passages], passages


def wikipedia_collections(path: Path, vocabulary: Path) -> dict[str, tuple[dict, dict, dict]]:
    """name → (documents, queries, judgements)."""
    pieces = WordPieces(vocabulary)
    stop = pieces.pieces.index(".")
    articles: dict[int, list[Section]] = {}
    for section in read_wikipedia_articles(path, lambda a: article_share(a) >= TRAINING_SHARE):
        articles.setdefault(section.article, []).append(section)
    passages = {
        a: [(number, p) for number, s in enumerate(sections) for p in cut(s.pieces, stop)]
        for a, sections in articles.items()
    }
    chosen = [a for a in sorted(passages) if FEWEST_PASSAGES <= len(passages[a]) <= MOST_PASSAGES]
    rng = random.Random(SEED)
    chosen = rng.sample(chosen, min(ARTICLES, len(chosen)))
    out = {}
    for name, asked in (("wiki_title", chosen[:QUERIES]), ("wiki_need", chosen[QUERIES : 2 * QUERIES])):
        documents, queries, qrels = {}, {}, {}
        for article in chosen:
            kept = passages[article]
            if article in asked:
                key = f"q{article}"
                queries[key], levels, kept = ask(name, articles[article], kept, pieces, stop, rng)
                qrels[key] = {f"{article}-{i}": level for i, level in enumerate(levels)}
            for i, (_, p) in enumerate(kept):
                documents[f"{article}-{i}"] = ("", pieces.decode(p.tolist()))
        out[name] = (documents, queries, qrels)
    return out
