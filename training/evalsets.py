"""Development and test collections, and the form in which they are scored: a run, passages and judgements."""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

from .sources import held_out, read_supervision
from .text import windows

PASSAGE_WORDS, PASSAGE_OVERLAP, TITLE_WORDS = 100, 50, 30
TEST = ("cranfield", "cisi", "npl", "cacm", "scifact")
GIVEN_RUN_TEST = ("trec-dl19-passage", "trec-dl20-passage", "nfcorpus", "acord")
# collections with many relevant documents a query; half of their queries train, the other half are for development
MANY_RELEVANT = ("bioasq-snippets", "perspectrum", "argkp-2021")


@dataclass
class Collection:
    """Documents (id → title, text), queries (id → text) and judgements (query → document → level)."""

    documents: dict[str, tuple[str, str]]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]


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
    """LISA: a title, a blank line and an abstract. A line of asterisks ends a document."""
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
    """TIME: articles are numbered in the order of the file, as the judgements number them."""
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


def trains(query: str) -> bool:
    """True for the half of the queries of MANY_RELEVANT that train."""
    return int(hashlib.sha1(query.encode()).hexdigest(), 16) % 2 == 0


def read_given_run(folder: Path, depth: int, name: str = "run.trec") -> dict[str, list[tuple[str, float]]]:
    """A first stage that comes with a collection: query → (document, score), best first."""
    run: dict[str, list[tuple[str, float]]] = {}
    for line in (folder / name).read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, []).append((document, float(score)))
    return {query: sorted(hits, key=lambda hit: -hit[1])[:depth] for query, hits in run.items()}


def sample_queries(collection: Collection, count: int, seed: int) -> Collection:
    """A fixed random sample of the judged queries."""
    judged = sorted(q for q in collection.qrels if q in collection.queries)
    chosen = random.Random(seed).sample(judged, min(count, len(judged)))
    return Collection(collection.documents, collection.queries, {q: collection.qrels[q] for q in chosen})


def read_held_out(supervision: Path, pool: int, count: int) -> Collection:
    """Questions whose passages never train, over those passages and a pool of others."""
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


def development_collections(
    collections: Path, many_relevant: Path, supervision: Path, extra: Path
) -> dict[str, Collection]:
    """The collections that parameters may be chosen on, without the demo and those made of Wikipedia articles."""
    return {
        "adi": read_beir(collections / "adi"),
        "med": read_med(extra / "med"),
        "lisa": read_lisa(extra / "lisa"),
        "time": read_time(extra / "time"),
        "scifact_train": sample_queries(read_beir(collections / "scifact", "qrels.train.txt"), 300, 1),
        "squad_dev": sample_queries(read_beir(collections / "squad_dev"), 300, 2),
        "obliqa_dev": sample_queries(read_beir(collections / "obliqa", "qrels.dev.txt"), 300, 3),
        "held_out": read_held_out(supervision, 6000, 300),
        **{
            name: sample_queries(without_training(read_beir(many_relevant / name)), 200, 7)
            for name in MANY_RELEVANT
        },
        "semeval2016-cqa-c": read_beir(many_relevant / "semeval2016-cqa-c"),
    }


def without_training(collection: Collection) -> Collection:
    """The queries that do not train."""
    kept = {q: levels for q, levels in collection.qrels.items() if not trains(q)}
    return Collection(collection.documents, collection.queries, kept)


def test_collections(collections: Path) -> dict[str, Collection]:
    """The collections that are only reported."""
    return {name: read_beir(collections / name) for name in TEST}
