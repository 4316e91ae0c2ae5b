"""Collections to train phase three on: Wikipedia articles on one subject, with queries that have many relevant passages.

    python -m training.residual_sets --wikipedia tok2.npz --vocabulary models/tiny --work DIR --out wikipedia-train.json.gz

Like the development sets of training.wikipedia_sets, but of articles that may train, and each collection is the
neighbourhood of one article by shared words: real collections keep to a subject. First stage: the product's DPH+KL.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

import numpy as np

from .evalsets import Collection, evaluation_set
from .first_stage import retrieve
from .overlap_pairs import Words, ragged
from .sources import Section, article_share, read_wikipedia_articles
from .text import WordPieces
from .wikipedia_sets import FEWEST_PASSAGES, MOST_PASSAGES, TRAINING_SHARE, ask, cut


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wikipedia", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--collections", type=int, default=8)
    parser.add_argument("--articles", type=int, default=700, help="of a collection")
    parser.add_argument("--queries", type=int, default=400, help="of a collection, half titles, half needs")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pieces = WordPieces(options.vocabulary)
    stop = pieces.pieces.index(".")
    articles: dict[int, list[Section]] = {}
    for section in read_wikipedia_articles(options.wikipedia, lambda a: article_share(a) < TRAINING_SHARE):
        articles.setdefault(section.article, []).append(section)
    passages = {
        a: [(number, p) for number, s in enumerate(sections) for p in cut(s.pieces, stop)]
        for a, sections in articles.items()
    }
    numbers = [a for a in sorted(passages) if FEWEST_PASSAGES <= len(passages[a]) <= MOST_PASSAGES]
    texts = ragged([np.concatenate([p for _, p in passages[a]]) for a in numbers])
    vectors = Words.of(texts, pieces.pieces).vectors(texts)
    print(f"{len(numbers)} articles")
    rng = random.Random(23)
    sets = {}
    for number, seed in enumerate(rng.sample(range(len(numbers)), options.collections)):
        near = np.argsort(-(vectors @ vectors[seed].T).toarray().ravel())[: options.articles]
        chosen = [numbers[i] for i in near]
        asked = rng.sample(chosen, min(options.queries, len(chosen)))
        titles = set(asked[::2])
        documents, queries, qrels = {}, {}, {}
        for article in chosen:
            kept = passages[article]
            if article in set(asked):
                kind = "wiki_title" if article in titles else "wiki_need"
                query, levels, kept = ask(kind, articles[article], kept, pieces, stop, rng)
                queries[f"q{article}"] = query
                qrels[f"q{article}"] = {f"{article}-{i}": level for i, level in enumerate(levels)}
            for i, (_, p) in enumerate(kept):
                documents[f"{article}-{i}"] = ("", pieces.decode(p.tolist()))
        collection = Collection(documents, queries, qrels)
        name = f"neighbours-{number}"
        sets[name] = evaluation_set(collection, retrieve(collection, options.work / name, 100))
        print(
            name,
            pieces.decode(articles[numbers[seed]][0].title.tolist()),
            len(documents),
            "passages",
            len(queries),
            "queries",
        )
    with gzip.open(options.out, "wt", encoding="utf-8") as file:
        json.dump(sets, file, ensure_ascii=False)


if __name__ == "__main__":
    main()
