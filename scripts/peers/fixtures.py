"""Writes tests/fixtures/peers from what run.sh left in WORKDIR.

    python fixtures.py WORKDIR COLLECTIONS_DIR FIXTURES_DIR     (needs pytrec_eval: trec_eval's own code)
"""

import gzip
import hashlib
import json
import pathlib
import re
import sys

import pytrec_eval

from check import lines, read_run

ANALYSED = ["cranfield", "npl", "cisi", "cacm", "adi"]
SEARCHED = ["cranfield", "npl"]
PEERS = {"terrier": "Terrier 5.11", "anserini": "Anserini 1.5.0 (Lucene 9.9.1)"}
MEASURES = {"P@20": "P_20", "nDCG@20": "ndcg_cut_20", "AP": "map"}
TOP, EXPANDED_QUERIES = 100, 20
# Models we do not offer, and variants of one formula: their figures are kept, not their rankings, or fewer results.
SHALLOW = {"dph-bo1": 50, "dph-kl-d10t20": 20, "dph-kl-rocchio": 20, "bm25-rm3-exact": 50, "ql-rm3-exact": 50}
FIGURES_ONLY = {"terrier": {"bm25", "dirichletlm"}}


def write_gz(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as file:  # no time stamp: same input, same bytes
        file.write(text.encode())


def digest(terms):
    return hashlib.sha256(" ".join(terms).encode()).hexdigest()[:8]


def analysis(work, out):
    rows = []
    for name in ANALYSED:
        for part, kind in (("docs", "document"), ("queries", "query")):
            dumps = [lines(work / name / f"{peer}.{part}.tokens") for peer in PEERS]
            for terrier, anserini in zip(*dumps):
                rows.append("\t".join([name, kind, terrier["id"], digest(terrier["terms"]), digest(anserini["terms"])]))
    write_gz(out / "tokens.tsv.gz", "\n".join(rows) + "\n")

    sources = [work / "tricky.jsonl"] + [work / f"tricky.{kind}" for kind in ("terrier", "terrier-utf", "anserini")]
    tricky = [
        {
            "text": text["contents"],
            "terrier": terrier["terms"],
            "terrierUtf": utf["terms"],
            "anserini": anserini["terms"],
        }
        for text, terrier, utf, anserini in zip(*map(lines, sources))
    ]
    write_gz(out / "tricky.jsonl.gz", "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in tricky))


def words(work, out):
    """Word, Terrier's term, Anserini's term ("" where dropped) of five collections; the stop words seen in eight."""
    seen = {row["id"] for name in ANALYSED for row in lines(work / name / "words.jsonl")}
    stems, stopped = [], []
    for terrier, anserini in zip(lines(work / "words.terrier"), lines(work / "words.anserini")):
        word = terrier["id"]
        if not terrier["terms"] and passes_tokeniser(word):
            stopped.append(word)
        if word in seen:
            stems.append("\t".join([word, "".join(terrier["terms"]), "".join(anserini["terms"])]))
    write_gz(out / "stems.tsv.gz", "\n".join(stems) + "\n")
    write_gz(out / "terrier-stopwords.txt.gz", "\n".join(stopped) + "\n")


def passes_tokeniser(word):
    return len(word) <= 20 and len(re.findall(r"\d", word)) <= 4 and not re.search(r"(.)\1{3}", word)


def rounded(score):
    return f"{score:.6f}"


def rounded_run(path):
    return {query: [[d, float(rounded(s))] for d, s in ranking] for query, ranking in read_run(path).items()}


def runs(work, out):
    for name in SEARCHED:
        for peer in PEERS:
            for path in sorted((work / name / peer / "runs").glob("*.run")):
                if path.stem in FIGURES_ONLY.get(peer, ()):
                    continue
                depth = SHALLOW.get(path.stem, TOP)
                rows = [
                    f"{query}\t{document}\t{rounded(score)}"
                    for query, ranking in read_run(path).items()
                    for document, score in ranking[:depth]
                ]
                write_gz(out / peer / f"{name}.{path.stem}.tsv.gz", "\n".join(rows) + "\n")


def query_weights(row):
    """[[term, weight]…] as the last matching used them, weightless ones left out: which of those come is arbitrary."""
    if "matched" in row:
        return [[term, round(weight, 9)] for term, weight in row["matched"] if weight > 0]
    return list(row["expanded"].items())


def expansions(work, names, limit):
    for name in names:
        for peer in PEERS:
            for path in sorted((work / name / peer / "runs").glob("*.queries.jsonl")):
                model = path.name.removesuffix(".queries.jsonl")
                if model in FIGURES_ONLY.get(peer, ()):
                    continue
                for row in list(lines(path))[:limit]:
                    where = {"peer": peer, "collection": name, "model": model}
                    yield where | {"id": row["id"], "terms": query_weights(row)}


def evaluate(qrels, run):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
    results = evaluator.evaluate({query: dict(ranking) for query, ranking in run.items()})
    # Every judged query counts, also one a system returns nothing for (trec_eval -c).
    return {
        name: round(sum(results.get(query, {}).get(key, 0) for query in qrels) / len(qrels), 6)
        for name, key in MEASURES.items()
    }


def read_qrels(path):
    qrels = {}
    for line in path.open(encoding="utf-8"):
        query, _, document, relevance = line.split()
        qrels.setdefault(query, {})[document] = int(relevance)
    return qrels


def figures(work, collections, out):
    result = {"versions": PEERS, "measures": "trec_eval, depth 1000, mean over all judged queries", "collections": {}}
    for name in SEARCHED:
        qrels = read_qrels(collections / name / "qrels.txt")
        entry = {"undecided": json.loads((work / name / "undecided.json").read_text())}
        for peer in PEERS:
            folder = work / name / peer
            models = {path.stem: evaluate(qrels, read_run(path)) for path in sorted((folder / "runs").glob("*.run"))}
            entry[peer] = {"statistics": json.loads((folder / "stats.json").read_text()), "models": models}
        entry["anserini"]["commandLine"] = {
            path.stem: evaluate(qrels, read_run(path)) for path in sorted((work / name / "anserini/cli").glob("*.run"))
        }
        result["collections"][name] = entry
    (out / "figures.json").write_text(json.dumps(result, indent=1) + "\n")


def tiny(work, out):
    """The whole tiny collection in one file: every ranking, every expanded query, the tokens themselves."""
    folder = work / "tiny"
    undecided = json.loads((folder / "undecided.json").read_text())
    result = {"undecided": undecided, "expansions": list(expansions(work, ["tiny"], None))}
    for peer in PEERS:
        result[peer] = {
            "statistics": json.loads((folder / peer / "stats.json").read_text()),
            "documents": {row["id"]: row["terms"] for row in lines(folder / f"{peer}.docs.tokens")},
            "queries": {row["id"]: row["terms"] for row in lines(folder / f"{peer}.queries.tokens")},
            "runs": {path.stem: rounded_run(path) for path in sorted((folder / peer / "runs").glob("*.run"))},
        }
    write_gz(out / "tiny" / "expected.json.gz", json.dumps(result, ensure_ascii=True))


def main(work, collections, out):
    analysis(work, out)
    words(work, out)
    runs(work, out)
    rows = expansions(work, SEARCHED, EXPANDED_QUERIES)
    write_gz(out / "expansions.jsonl.gz", "".join(json.dumps(row) + "\n" for row in rows))
    figures(work, collections, out)
    tiny(work, out)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{size / 1e6:.2f} MB of fixtures in {out}")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
