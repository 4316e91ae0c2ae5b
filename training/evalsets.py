"""Evaluation sets: a BM25 run, passages and judgements for each development and test collection.

    python -m training.evalsets --data ../shared/data --extra DIR --depth 100 --out .carry/eval

Development sets guide every choice; test sets are only ever reported. Both are written to separate
files (dev.json, test.json), so a step that tunes something cannot open the test sets by accident.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import Stemmer

from .sources import held_out, read_supervision
from .text import windows

K1, B = 0.9, 0.4
PASSAGE_WORDS, PASSAGE_OVERLAP, TITLE_WORDS = 100, 50, 30
STOP_WORDS = set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)
TEST = ("cranfield", "cisi", "npl", "cacm", "scifact")


@dataclass
class Collection:
    """Documents (id → title, text), queries (id → text) and judgements (query → document → level)."""

    documents: dict[str, tuple[str, str]]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]


class Analyzer:
    """Lower-case words, 33 English stop words removed, Porter stems."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("porter").stemWord
        self.cache: dict[str, str] = {}

    def terms(self, text: str) -> list[str]:
        out = []
        for word in re.findall(r"[a-z0-9]+", text.lower()):
            if word in STOP_WORDS:
                continue
            stem = self.cache.get(word)
            if stem is None:
                stem = self.cache[word] = self.stem(word)
            out.append(stem)
        return out


class BM25:
    """Lucene's BM25 (k1 .9, b .4, no k1+1 factor) with exact document lengths."""

    def __init__(self, texts: list[str], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        postings: dict[str, list[tuple[int, int]]] = {}
        lengths = np.zeros(len(texts))
        for number, text in enumerate(texts):
            terms = analyzer.terms(text)
            lengths[number] = len(terms)
            for term, count in Counter(terms).items():
                postings.setdefault(term, []).append((number, count))
        self.size = len(texts)
        norm = K1 * (1 - B + B * lengths / max(1e-9, lengths.mean()))
        self.weights: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for term, entries in postings.items():
            documents = np.array([d for d, _ in entries])
            tf = np.array([c for _, c in entries], dtype=np.float64)
            idf = math.log(1 + (self.size - len(entries) + 0.5) / (len(entries) + 0.5))
            self.weights[term] = (documents, idf * tf / (tf + norm[documents]))

    def search(self, query: str, depth: int) -> list[tuple[int, float]]:
        """The best documents with a score above zero; ties keep collection order."""
        scores = np.zeros(self.size)
        for term in self.analyzer.terms(query):
            if term in self.weights:
                documents, weights = self.weights[term]
                scores[documents] += weights
        order = np.argsort(-scores, kind="stable")[:depth]
        return [(int(d), float(scores[d])) for d in order if scores[d] > 0]


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        query, _, document, level = line.split()
        qrels.setdefault(query, {})[document] = int(level)
    return qrels


def read_beir(folder: Path, qrels: str = "qrels.txt") -> Collection:
    """corpus.jsonl, queries.jsonl and a TREC qrels file."""
    documents = {}
    for line in (folder / "corpus.jsonl").open(encoding="utf-8"):
        entry = json.loads(line)
        documents[entry["_id"]] = ((entry.get("title") or "").strip(), entry["text"])
    queries = {}
    for line in (folder / "queries.jsonl").open(encoding="utf-8"):
        entry = json.loads(line)
        queries[entry["_id"]] = entry["text"]
    return Collection(documents, queries, read_qrels(folder / qrels))


def read_smart(path: Path) -> dict[str, str]:
    """SMART format (.I number, .W text), as MED has it."""
    out: dict[str, list[str]] = {}
    current: list[str] = []
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith(".I"):
            current = out.setdefault(line.split()[1], [])
        elif not line.startswith("."):
            current.append(line.strip())
    return {number: " ".join(lines) for number, lines in out.items()}


def read_med(folder: Path) -> Collection:
    documents = {n: ("", t) for n, t in read_smart(folder / "MED.ALL").items()}
    return Collection(documents, read_smart(folder / "MED.QRY"), read_qrels(folder / "MED.REL"))


def read_lisa(folder: Path) -> Collection:
    """LISA: title, blank line, abstract; documents end with a line of asterisks."""
    documents = {}
    for path in sorted(folder.glob("LISA[0-9].[0-9][0-9][0-9]")):
        for entry in path.read_text(errors="replace").split("*" * 20):
            match = re.search(r"Document\s+(\d+)\s*\n(.*)", entry, re.S)
            if match:
                title, _, body = match.group(2).partition("\n \n" if "\n \n" in match.group(2) else "\n\n")
                documents[match.group(1)] = (
                    " ".join(title.split()).lower(),
                    " ".join(body.strip("*").split()).lower(),
                )
    queries = {}
    for entry in (folder / "LISA.QUE").read_text(errors="replace").split("#"):
        lines = entry.split("\n")
        lines = [line for line in lines if line.strip()]
        if lines:
            queries[lines[0].strip()] = " ".join(" ".join(lines[1:]).split()).lower()
    qrels: dict[str, dict[str, int]] = {}
    for match in re.finditer(
        r"Query\s+(\d+)\s*\n.*?Refs:\s*(.*?)-1", (folder / "LISA.REL").read_text(), re.S
    ):
        qrels[match.group(1)] = {d: 1 for d in match.group(2).split()}
    return Collection(documents, queries, qrels)


def read_time(folder: Path) -> Collection:
    """TIME: articles numbered in file order (that is what the judgements use)."""
    articles = re.split(r"^\*TEXT.*$", (folder / "TIME.ALL").read_text(errors="replace"), flags=re.M)[1:]
    documents = {
        str(n): ("", " ".join(a.replace("*STOP", "").split()).lower()) for n, a in enumerate(articles, 1)
    }
    parts = re.split(r"^\*FIND\s+(\d+)", (folder / "TIME.QUE").read_text(errors="replace"), flags=re.M)
    queries = {
        n: " ".join(t.replace("*STOP", "").split()).lower()
        for n, t in zip(parts[1::2], parts[2::2], strict=True)
    }
    qrels = {}
    for line in (folder / "TIME.REL").read_text().splitlines():
        fields = line.split()
        if len(fields) > 1:
            qrels[fields[0]] = {d: 1 for d in fields[1:]}
    return Collection(documents, queries, qrels)


def sample_queries(collection: Collection, count: int, seed: int) -> Collection:
    """A fixed random sample of the judged queries."""
    judged = sorted(q for q in collection.qrels if q in collection.queries)
    chosen = random.Random(seed).sample(judged, min(count, len(judged)))
    return Collection(collection.documents, collection.queries, {q: collection.qrels[q] for q in chosen})


def read_held_out(supervision: Path, pool: int, count: int) -> Collection:
    """Questions whose passages never train, among those passages and a pool of others."""
    documents: dict[str, tuple[str, str]] = {}
    others: dict[str, tuple[str, str]] = {}
    queries: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {}
    for entry in read_supervision(supervision):
        key = hashlib.sha1(entry.passage.encode()).hexdigest()[:16]
        text = " ".join(entry.passage.split()[:400])
        if not held_out(entry.passage):
            others[key] = (entry.title, text)
            continue
        documents[key] = (entry.title, text)
        number = hashlib.sha1(entry.query.encode()).hexdigest()[:12]
        queries[number] = entry.query
        qrels.setdefault(number, {})[key] = 1
    for key in random.Random(5).sample(sorted(others), min(pool, len(others))):
        documents.setdefault(key, others[key])
    return sample_queries(Collection(documents, queries, qrels), count, 6)


def bm25_run(collection: Collection, depth: int, analyzer: Analyzer) -> dict[str, list[tuple[int, float]]]:
    """BM25's ranking for every query with a relevant document."""
    index = BM25([f"{t} {x}" for t, x in collection.documents.values()], analyzer)
    return {
        query: index.search(collection.queries[query], depth)
        for query, levels in collection.qrels.items()
        if query in collection.queries and any(level > 0 for level in levels.values())
    }


def evaluation_set(collection: Collection, run: dict[str, list[tuple[int, float]]]) -> dict:
    """The run, and the passages of every document in it, as plain JSON."""
    ids = list(collection.documents)
    judged = {q for q, levels in collection.qrels.items() if any(level > 0 for level in levels.values())}
    run = {query: hits for query, hits in run.items() if query in judged}
    passages = {}
    for number in sorted({d for hits in run.values() for d, _ in hits}):
        title, text = collection.documents[ids[number]]
        words = text.split()
        if not words:
            words, title = title.split() or ["."], ""
        prefix = " ".join(title.split()[:TITLE_WORDS])
        prefix = prefix + " " if prefix and prefix != "." else ""
        passages[number] = [prefix + " ".join(w) for w in windows(words, PASSAGE_WORDS, PASSAGE_OVERLAP)]
    return {
        "ids": ids,
        "queries": {q: collection.queries[q] for q in run},
        "qrels": {q: collection.qrels[q] for q in run},
        "run": run,
        "passages": passages,
    }


def development_collections(data: Path, extra: Path) -> dict[str, Collection]:
    """Everything that parameters may be chosen on, besides the sets made from held-out Wikipedia articles."""
    folder = data / "collections"
    return {
        "adi": read_beir(folder / "adi"),
        "med": read_med(extra / "med"),
        "lisa": read_lisa(extra / "lisa"),
        "time": read_time(extra / "time"),
        "scifact_train": sample_queries(read_beir(folder / "scifact", "qrels.train.txt"), 300, 1),
        "squad_dev": sample_queries(read_beir(folder / "squad_dev"), 300, 2),
        "obliqa_dev": sample_queries(read_beir(folder / "obliqa", "qrels.dev.txt"), 300, 3),
        "held_out": read_held_out(data / "supervision", 6000, 300),
    }


def test_collections(data: Path) -> dict[str, Collection]:
    return {name: read_beir(data / "collections" / name) for name in TEST}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with collections/ and supervision/")
    parser.add_argument("--extra", type=Path, required=True, help="folder with med/, lisa/ and time/")
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    development = development_collections(options.data, options.extra)
    test = test_collections(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    analyzer = Analyzer()
    for part, collections in (("dev", development), ("test", test)):
        sets = {}
        for name, collection in collections.items():
            sets[name] = evaluation_set(collection, bm25_run(collection, options.depth, analyzer))
            count = sum(len(p) for p in sets[name]["passages"].values())
            documents, queries = len(collection.documents), len(sets[name]["run"])
            print(f"{part} {name}: {documents} documents, {queries} queries, {count} passages")
        with gzip.open(options.out / f"{part}.json.gz", "wt", encoding="utf-8") as file:
            json.dump(sets, file, ensure_ascii=False)


if __name__ == "__main__":
    main()
