"""Recomputes every run from the peers' own token dumps and says how far the peers' scores are from the formulas.

    python check.py WORKDIR NAME...   reads WORKDIR/NAME as run.sh leaves it, writes WORKDIR/NAME/undecided.json

Fails where a score is off by more than the tolerance or a ranking differs beyond equal scores.
"""

import json
import pathlib
import sys
from collections import Counter, defaultdict

import recompute as r

TERRIER, ANSERINI = 1e-9, 2e-5  # doubles; Lucene scores in floats
EXPANSIONS = {
    "dph-kl": {},
    "dph-bo1": {"model": "Bo1"},
    "dph-kl-d10t20": {"documents": 10, "terms": 20},
    "dph-kl-rocchio": {"parameter_free": False},
}


def lines(path):
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def read_run(path):
    run = defaultdict(list)
    for line in path.open(encoding="utf-8"):
        query, _, document, _, score, _ = line.split()
        run[query].append((document, float(score)))
    return run


def load(path, keep_empty):
    rows = [(row["id"], Counter(row["terms"])) for row in lines(path) if keep_empty or row["terms"]]
    return r.Collection([id for id, _ in rows], [bag for _, bag in rows])


class Report:
    """The largest score difference per model; rankings may differ only among scores closer than the tolerance."""

    def __init__(self, tolerance):
        self.tolerance, self.worst, self.failures = tolerance, Counter(), []

    def compare(self, model, query, expected, actual):
        expected = dict(expected)
        for position, (document, score) in enumerate(actual):
            if document not in expected:
                cut = min(expected.values(), default=0)
                if abs(score - cut) > self.tolerance:
                    self.failures.append(f"{model} query {query}: {document} at {position} not expected")
                continue
            difference = abs(expected[document] - score)
            self.worst[model] = max(self.worst[model], difference)
            if difference > self.tolerance:
                self.failures.append(f"{model} query {query}: {document} {score} instead of {expected[document]}")
        if len(expected) != len(actual):
            self.failures.append(f"{model} query {query}: {len(actual)} results instead of {len(expected)}")


def named(collection, ranking):
    return [(collection.ids[document], score) for document, score in ranking]


def without_zeros(ranking):
    return [(document, score) for document, score in ranking if score != 0]


def check_terrier(work, report):
    collection = load(work / "terrier.docs.tokens", keep_empty=True)
    pipeline = {row["id"]: (row["terms"] or [None])[0] for row in lines(work / "terrier.surface.stems")}
    surface = {row["id"]: row["terms"] for row in lines(work / "terrier.surface.tokens")}
    runs = {path.stem: read_run(path) for path in (work / "terrier" / "runs").glob("*.run")}
    undecided = defaultdict(list)
    for id, tokens in surface.items():
        query = r.terrier_query(tokens, pipeline)
        first = r.dph(collection, query)
        report.compare("dph", id, named(collection, first), runs["dph"][id])
        report.compare("bm25", id, named(collection, r.terrier_bm25(collection, query)), runs["bm25"][id])
        dirichlet = r.terrier_dirichlet(collection, query)
        report.compare("dirichletlm", id, named(collection, dirichlet), runs["dirichletlm"][id])
        for model, options in EXPANSIONS.items() if first else ():
            expanded, tie = r.expand(collection, query, first, **options)
            if tie:
                undecided[model].append(id)
                continue
            second, actual = named(collection, r.dph(collection, r.normalised(expanded))), runs[model][id]
            if tie == 0:  # which weightless terms fill up the query is open, so are the documents only they match
                second, actual = without_zeros(second), without_zeros(actual)
            report.compare(model, id, second, actual)
    (work / "undecided.json").write_text(json.dumps(undecided))


def check_anserini(work, report):
    collection = load(work / "anserini.docs.tokens", keep_empty=False)
    indexed = json.loads((work / "anserini" / "stats.json").read_text())["indexed"]
    runs = {path.stem: read_run(path) for path in (work / "anserini" / "runs").glob("*.run")}
    for row in lines(work / "anserini.queries.tokens"):
        query = list(Counter(row["terms"]).items())
        for suffix, length in (("", r.lucene_length), ("-exact", lambda length: length)):
            for name, model in (("bm25", r.bm25), ("ql", r.ql)):
                first = model(collection, query, length)
                report.compare(name + suffix, row["id"], named(collection, first), runs[name + suffix][row["id"]])
                if not first:
                    continue
                second = model(collection, r.rm3(collection, query, first, indexed).items(), length)
                rm3 = f"{name}-rm3{suffix}"
                report.compare(rm3, row["id"], named(collection, second), runs[rm3][row["id"]])


def main(work, names):
    failures = []
    for name in names:
        for peer, check, tolerance in (("terrier", check_terrier, TERRIER), ("anserini", check_anserini, ANSERINI)):
            report = Report(tolerance)
            check(work / name, report)
            print(f"{name} {peer}: largest difference per model",
                  {model: f"{worst:.1e}" for model, worst in sorted(report.worst.items())})
            failures += [f"{name} {peer}: {failure}" for failure in report.failures]
    for failure in failures[:40]:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
