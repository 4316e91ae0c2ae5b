"""Readers of the public text that the models learn from, one per source (manifest.json: origin, licence, hashes)."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

csv.field_size_limit(sys.maxsize)

ARXIV_CATEGORIES = (
    "cs.AR cs.CC cs.CE cs.CG cs.CR cs.CY cs.DB cs.DC cs.DL cs.ET cs.FL cs.GL cs.GR cs.GT cs.HC cs.IR cs.LO cs.MA cs.MM "
    "cs.MS cs.NA cs.NE cs.NI cs.OH cs.OS cs.PF cs.PL cs.RO cs.SC cs.SD cs.SE cs.SI cs.SY eess.AS eess.IV eess.SP "
    "eess.SY econ.EM econ.GN econ.TH math.HO nlin.CD physics.acc-ph physics.ao-ph physics.app-ph physics.atom-ph "
    "physics.bio-ph physics.chem-ph physics.class-ph physics.comp-ph physics.data-an physics.ed-ph physics.geo-ph "
    "physics.hist-ph physics.med-ph physics.plasm-ph physics.pop-ph physics.space-ph q-bio.BM q-bio.CB q-bio.GN "
    "q-bio.MN q-bio.NC q-bio.OT q-bio.PE q-bio.QM q-bio.SC q-bio.TO stat.AP stat.CO stat.ME"
).split()
ARXIV_CATEGORIES_2019 = ("physics.flu-dyn", "cs.CL", "cs.DS", "physics.ins-det", "physics.soc-ph")
LARGE_CATEGORIES = ("physics.flu-dyn",)


@dataclass
class Entry:
    """A question with the passage that answers it."""

    source: str
    query: str
    passage: str
    title: str = ""
    negatives: list[str] = field(default_factory=list)
    group: str = ""
    """Passages of one group answer the same query."""


@dataclass
class Paper:
    """A paper's title and abstract."""

    title: str
    abstract: str


@dataclass
class Section:
    """A run of consecutive Wikipedia passages under one heading, already in word pieces."""

    article: int
    title: np.ndarray
    heading: np.ndarray
    pieces: np.ndarray


def normalise(text: str) -> str:
    """Letters and digits only: a key that finds the same text in two places."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def opening(text: str) -> str:
    """The first hundred normalised characters of a text."""
    return normalise(text[:400])[:100]


def held_out(passage: str) -> bool:
    """True for one passage in forty, which is kept for development with all its questions."""
    return int(hashlib.sha1(opening(passage).encode()).hexdigest(), 16) % 40 == 0


def read_supervision(folder: Path) -> Iterator[Entry]:
    """Every pair of every question set, in a fixed order."""
    for path in sorted(folder.glob("*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line)
                query, passage = entry["query"].strip(), " ".join(entry["positive"].split())
                if not query or len(passage.split()) < 4:
                    continue
                negatives = [" ".join(n.split()) for n in entry.get("negatives") or [] if len(n.split()) > 3]
                yield Entry(
                    path.parent.name, query, passage, (entry.get("title") or "").strip(), negatives[:8]
                )


def read_many_relevant(folder: Path) -> Iterator[Entry]:
    """Every relevant pair of the training queries of collections with many relevant documents a query."""
    from .evalsets import MANY_RELEVANT, read_beir, trains

    for name in MANY_RELEVANT:
        collection = read_beir(folder / name)
        for query, levels in collection.qrels.items():
            if trains(query):
                for document, level in levels.items():
                    passage = " ".join(collection.documents[document][1].split())
                    if level > 0 and len(passage.split()) >= 4:
                        yield Entry(name, collection.queries[query], passage, group=query)


def read_questions(folder: Path) -> list[str]:
    """Web questions without passages, one a line; the teacher finds their candidates."""
    lines = [line for path in sorted(folder.glob("*.txt")) for line in path.read_text().splitlines()]
    return sorted({" ".join(line.split()) for line in lines if len(line.split()) > 1})


def clean_abstract(text: str) -> str:
    """The words of a title or abstract, without the remains of TeX."""
    text = re.sub(r"\$[^$]{1,300}\$", lambda m: " " + re.sub(r"\\[a-zA-Z]+", " ", m.group(0)) + " ", text)
    text = re.sub(r"https?://\S+", " ", text)
    return " ".join(re.sub(r"[$\\{}^_~]", " ", text).split())


def read_arxiv(repository: Path, per_category: int, per_large_category: int) -> Iterator[Paper]:
    """Titles and abstracts of the git repository staeiou/arxiv_archive, each paper once."""
    seen: set[str] = set()
    folders = [("20190101", c) for c in ARXIV_CATEGORIES_2019] + [("20200101", c) for c in ARXIV_CATEGORIES]
    for folder, category in folders:
        path = f"HEAD:processed_data/{folder}/per_category/{category}.tsv.xz"
        packed = subprocess.run(
            ["git", "-C", str(repository), "show", path], capture_output=True, check=False
        )
        if packed.returncode != 0:
            print(f"arxiv: {category} is not in the snapshot", file=sys.stderr)
            continue
        rows = csv.DictReader(
            io.StringIO(lzma.decompress(packed.stdout).decode("utf-8", "replace")), delimiter="\t"
        )
        candidates = sorted(
            (row for row in rows if row.get("arxiv_id") and row["arxiv_id"] not in seen),
            key=lambda row: hashlib.sha1(row["arxiv_id"].encode()).digest(),
        )
        left = per_large_category if category in LARGE_CATEGORIES else per_category
        for row in candidates:
            abstract = clean_abstract(row.get("abstract") or "")
            if not 40 <= len(abstract.split()) <= 400:
                continue
            seen.add(row["arxiv_id"])
            yield Paper(clean_abstract(row.get("title") or ""), abstract)
            left -= 1
            if left == 0:
                break


def article_share(article: int) -> float:
    """A number in [0, 1) for each article. Articles below a share train; the others never do."""
    return (article * 2654435761 % 2**32) / 2**32


def read_wikipedia(path: Path, keep: float) -> Iterator[Section]:
    """Sections of the tokenised Wikipedia sample; `keep` is the share of articles taken."""
    return read_wikipedia_articles(path, lambda article: article_share(article) < keep)


def read_wikipedia_articles(path: Path, wanted: Callable[[int], bool]) -> Iterator[Section]:
    """Sections of the wanted articles."""
    data = np.load(path)
    sentence_ends = np.concatenate([[0], np.cumsum(data["sl"].astype(np.int64))])
    passage_ends = sentence_ends[np.concatenate([[0], np.cumsum(data["pn"].astype(np.int64))])]
    article_ends = np.concatenate([[0], np.cumsum(data["dn"].astype(np.int64))])
    title_ends = np.concatenate([[0], np.cumsum(data["tt"].astype(np.int64))])
    heading_ends = np.concatenate([[0], np.cumsum(data["ht"].astype(np.int64))])
    tokens, titles, headings = data["toks"], data["th"], data["hh"]
    for article in range(len(article_ends) - 1):
        if not wanted(article):
            continue
        title = titles[title_ends[article] : title_ends[article + 1]]
        start, end = article_ends[article], article_ends[article + 1]
        first = start
        for passage in range(start + 1, end + 1):
            heading = headings[heading_ends[first] : heading_ends[first + 1]]
            if passage < end:
                here = headings[heading_ends[passage] : heading_ends[passage + 1]]
                if len(here) == len(heading) and (here == heading).all():
                    continue
            yield Section(article, title, heading, tokens[passage_ends[first] : passage_ends[passage]])
            first = passage
