"""The training corpus: word pieces of documents, titles and questions.

    python -m training.prepare --collections DIR --many-relevant DIR --supervision DIR --questions DIR \
        --wikipedia tok2.npz --arxiv GITDIR --vocabulary models/tiny --out corpus

Writes corpus-N.npz, each a fair sample of all sources, and manifest.json with counts and hashes. Text that occurs in a
test collection is dropped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from .evalsets import GIVEN_RUN_TEST, MANY_RELEVANT, TEST, read_beir, trains
from .sources import (
    Entry,
    Paper,
    Section,
    held_out,
    normalise,
    opening,
    read_arxiv,
    read_many_relevant,
    read_questions,
    read_supervision,
    read_wikipedia,
)
from .text import WordPieces

MAX_DOCUMENT_WORDS = 600
SOURCES = ("wikipedia", "arxiv", "supervision")


class Documents:
    """Documents in word pieces, each with a title, a heading and a family (documents that belong together)."""

    def __init__(self, pieces: WordPieces) -> None:
        self.pieces = pieces
        self.bodies: list[np.ndarray] = []
        self.titles: list[np.ndarray] = []
        self.headings: list[np.ndarray] = []
        self.families: list[int] = []
        self.sources: list[int] = []

    def add(self, source: str, family: int, title: np.ndarray, heading: np.ndarray, body: np.ndarray) -> int:
        self.sources.append(SOURCES.index(source))
        self.families.append(family)
        self.titles.append(title)
        self.headings.append(heading)
        self.bodies.append(body)
        return len(self.bodies) - 1

    def encode(self, texts: list[str]) -> list[np.ndarray]:
        out: list[np.ndarray] = []
        for start in range(0, len(texts), 20_000):
            out += [
                np.array(ids, dtype=np.uint16) for ids in self.pieces.encode(texts[start : start + 20_000])
            ]
        return out


def test_keys(collections: Path, many_relevant: Path) -> set[str]:
    """Normalised titles and openings of every test document, every test query, and the development half of MANY_RELEVANT."""
    keys = set()
    for folder in [*(collections / n for n in TEST), *(many_relevant / n for n in GIVEN_RUN_TEST)]:
        collection = read_beir(folder)
        for title, text in collection.documents.values():
            keys.update(key for key in (normalise(title), opening(text)) if len(key) > 20)
        keys.update(normalise(query) for query in collection.queries.values())
    for name in MANY_RELEVANT:
        queries = read_beir(many_relevant / name).queries
        keys.update(normalise(text) for query, text in queries.items() if not trains(query))
    return keys


def add_wikipedia(documents: Documents, sections: Iterable[Section], first_family: int) -> int:
    family = first_family
    article = -1
    for section in sections:
        if section.article != article:
            article = section.article
            family += 1
        documents.add("wikipedia", family, section.title[:32], section.heading[:16], section.pieces)
    return family


def add_arxiv(documents: Documents, papers: list[Paper], first_family: int) -> int:
    titles = documents.encode([p.title for p in papers])
    bodies = documents.encode([p.abstract for p in papers])
    nothing = np.zeros(0, dtype=np.uint16)
    for number, (title, body) in enumerate(zip(titles, bodies, strict=True)):
        documents.add("arxiv", first_family + 1 + number, title[:48], nothing, body)
    return first_family + len(papers)


def add_supervision(
    documents: Documents, entries: list[Entry], first_family: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Passages once each; returns (document, source) per question and the questions' pieces.

    Wrong answers that a set names join the family of the right one, so that they become candidates.
    """
    texts: list[str] = []
    titles: list[str] = []
    families: list[int] = []
    number_of: dict[str, int] = {}
    names = sorted({e.source for e in entries})
    family_of_group: dict[str, int] = {}
    links = []
    for entry in entries:
        number = number_of.get(entry.passage)
        if number is None:
            number = number_of[entry.passage] = len(texts)
            texts.append(" ".join(entry.passage.split()[:MAX_DOCUMENT_WORDS]))
            titles.append(entry.title)
            family = first_family + 1 + number
            if entry.group:
                family = family_of_group.setdefault(f"{entry.source}/{entry.group}", family)
            families.append(family)
        for negative in entry.negatives:
            if negative not in number_of:
                number_of[negative] = len(texts)
                texts.append(" ".join(negative.split()[:150]))
                titles.append("")
                families.append(families[number])
        links.append((number, names.index(entry.source)))
    base = len(documents.bodies)
    nothing = np.zeros(0, dtype=np.uint16)
    for title, body, family in zip(documents.encode(titles), documents.encode(texts), families, strict=True):
        documents.add("supervision", family, title[:32], nothing, body)
    return np.array([(d + base, s) for d, s in links], dtype=np.int32), documents.encode(
        [e.query for e in entries]
    )


def ragged(arrays: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Values one after another, and the length of each row."""
    lengths = np.array([len(a) for a in arrays], dtype=np.uint16)
    return (np.concatenate(arrays) if arrays else np.zeros(0)).astype(np.uint16), lengths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collections", type=Path, required=True, help="folder of the test collections")
    parser.add_argument("--supervision", type=Path, required=True, help="folder of the question sets")
    parser.add_argument("--many-relevant", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True, help="folder of *.txt, a question a line")
    parser.add_argument("--wikipedia", type=Path, required=True)
    parser.add_argument("--arxiv", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--wikipedia-share", type=float, default=0.55)
    parser.add_argument("--arxiv-per-category", type=int, default=700)
    parser.add_argument("--arxiv-large-category", type=int, default=5000)
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    keys = test_keys(options.collections, options.many_relevant)
    documents = Documents(WordPieces(options.vocabulary))
    papers = []
    dropped = 0
    for paper in read_arxiv(options.arxiv, options.arxiv_per_category, options.arxiv_large_category):
        if normalise(paper.title) in keys or opening(paper.abstract) in keys:
            dropped += 1
        else:
            papers.append(paper)
    entries = []
    for entry in read_supervision(options.supervision):
        if held_out(entry.passage):
            continue
        if opening(entry.passage) in keys or normalise(entry.query) in keys:
            dropped += 1
            continue
        entries.append(entry)
    entries += read_many_relevant(options.many_relevant)
    web = [question for question in read_questions(options.questions) if normalise(question) not in keys]
    web_pieces = documents.encode(web)
    family = add_wikipedia(documents, read_wikipedia(options.wikipedia, options.wikipedia_share), 0)
    family = add_arxiv(documents, papers, family)
    links, questions = add_supervision(documents, entries, family)

    names = sorted({e.source for e in entries})
    many = [names.index(name) for name in MANY_RELEVANT]
    part_of = np.array(documents.families) % options.parts
    counts = Counter(SOURCES[s] for s in documents.sources)
    manifest: dict[str, object] = {
        "documents": dict(counts),
        "questions": dict(Counter(e.source for e in entries)),
        "web_questions": len(web),
        "dropped_as_test_text": dropped,
        "files": {},
    }
    for part in range(options.parts):
        rows = np.nonzero(part_of == part)[0]
        new_number = np.full(len(part_of), -1, dtype=np.int32)
        new_number[rows] = np.arange(len(rows))
        mine = np.nonzero(new_number[links[:, 0]] >= 0)[0]
        body, body_lengths = ragged([documents.bodies[r] for r in rows])
        title, title_lengths = ragged([documents.titles[r] for r in rows])
        heading, heading_lengths = ragged([documents.headings[r] for r in rows])
        question, question_lengths = ragged([questions[q][:126] for q in mine])
        web_question, web_question_lengths = ragged([q[:126] for q in web_pieces[part :: options.parts]])
        path = options.out / f"corpus-{part}.npz"
        np.savez(
            path,
            body=body,
            body_lengths=body_lengths,
            title=title,
            title_lengths=title_lengths,
            heading=heading,
            heading_lengths=heading_lengths,
            family=np.array(documents.families, dtype=np.int32)[rows],
            source=np.array(documents.sources, dtype=np.uint8)[rows],
            question=question,
            question_lengths=question_lengths,
            question_document=new_number[links[mine, 0]],
            question_source=links[mine, 1].astype(np.uint8),
            question_is_many=np.isin(links[mine, 1], many),
            web_question=web_question,
            web_question_lengths=web_question_lengths,
        )
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest["files"][path.name] = {
            "sha256": digest,
            "pieces": len(body),
            "documents": len(rows),
            "questions": len(mine),
        }
    (options.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(json.dumps(manifest, indent=1))


if __name__ == "__main__":
    main()
