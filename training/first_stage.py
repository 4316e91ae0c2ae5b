"""Evaluation sets whose first stage is DPH+KL with Terrier's analysis, by `bin/bert-qe.js` itself.

    python -m training.first_stage --collections DIR --many-relevant DIR --supervision DIR --extra DIR \
        --wikipedia tok2.npz --vocabulary models/tiny --work DIR --out eval

Writes dev.json.gz, on which every choice is made, and test.json.gz, which is only reported.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
from pathlib import Path

from .evalsets import (
    GIVEN_RUN_TEST,
    Collection,
    development_collections,
    evaluation_set,
    read_beir,
    read_given_run,
    test_collections,
)
from .wikipedia_sets import wikipedia_collections

DEVELOPMENT_DEPTH, TEST_DEPTH = 100, 1000


def write_beir(collection: Collection, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number, (title, text) in collection.documents.items():
            file.write(json.dumps({"_id": number, "title": title, "text": text}) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number in collection.qrels:
            if number in collection.queries:
                file.write(json.dumps({"_id": number, "text": collection.queries[number]}) + "\n")


def retrieve(collection: Collection, folder: Path, depth: int) -> dict[str, list[tuple[int, float]]]:
    """The DPH+KL run: query → (document number, score), best first."""
    write_beir(collection, folder)
    tool = ["node", "bin/bert-qe.js"]
    index, run = folder / "index", folder / "dph-kl.run"
    subprocess.run([*tool, "index", str(folder), "--analyzer", "terrier", "--out", str(index)], check=True)
    subprocess.run(
        [*tool, "search", "--index", str(index), "--queries", str(folder / "queries.jsonl"), "--model", "dph"]
        + ["--expand", "kl", "--depth", str(depth), "--out", str(run)],
        check=True,
    )
    number_of = {document: number for number, document in enumerate(collection.documents)}
    out: dict[str, list[tuple[int, float]]] = {}
    for line in run.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, []).append((number_of[document], float(score)))
    return out


def given_set(folder: Path) -> dict:
    """A test collection whose own first stage is re-ranked. Scores are scaled to at most 1 a query, as those of KL are."""
    collection = read_beir(folder)
    number_of = {document: number for number, document in enumerate(collection.documents)}
    run = read_given_run(folder, DEVELOPMENT_DEPTH)
    scaled = {q: [(number_of[d], s / max(hits[0][1], 1e-9)) for d, s in hits] for q, hits in run.items()}
    return evaluation_set(collection, {q: h for q, h in scaled.items() if q in collection.qrels})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collections", type=Path, required=True, help="folder of the test collections")
    parser.add_argument("--many-relevant", type=Path, required=True, help="collections with a given first stage")
    parser.add_argument("--supervision", type=Path, required=True, help="folder of the question sets")
    parser.add_argument("--extra", type=Path, required=True, help="folder with med/, lisa/ and time/")
    parser.add_argument("--wikipedia", type=Path, required=True, help="the tokenised sample")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    development = development_collections(
        options.collections, options.many_relevant, options.supervision, options.extra
    )
    development["demo"] = read_beir(Path("demo"))
    for name, parts in wikipedia_collections(options.wikipedia, options.vocabulary).items():
        development[name] = Collection(*parts)
    options.out.mkdir(parents=True, exist_ok=True)
    for part, collections, depth in (
        ("dev", development, DEVELOPMENT_DEPTH),
        ("test", test_collections(options.collections), TEST_DEPTH),
    ):
        sets = {}
        for name, collection in collections.items():
            run = retrieve(collection, options.work / name, depth)
            sets[name] = evaluation_set(collection, run)
            count = sum(len(p) for p in sets[name]["passages"].values())
            print(
                f"{part} {name}: {len(collection.documents)} documents, {len(run)} queries, {count} passages"
            )
        if part == "test":
            for name in GIVEN_RUN_TEST:
                sets[name] = given_set(options.many_relevant / name)
        with gzip.open(options.out / f"{part}.json.gz", "wt", encoding="utf-8") as file:
            json.dump(sets, file, ensure_ascii=False)


if __name__ == "__main__":
    main()
