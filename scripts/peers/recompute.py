"""The peers' models again, from term statistics alone: independent of their code and of ours.

A Collection holds bags of terms as a peer's analyzer made them; each function is one model's published formula with
the details found by running the peer (tests/fixtures/peers/README.md). Exhaustive, in doubles, no index.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

DEPTH = 1000


@dataclass
class Collection:
    ids: list[str]
    bags: list[Counter]
    lengths: list[int] = field(init=False)
    postings: dict[str, list[tuple[int, int]]] = field(init=False)
    frequency: Counter = field(init=False)  # F, occurrences in the collection

    def __post_init__(self):
        self.lengths = [sum(bag.values()) for bag in self.bags]
        self.postings, self.frequency = defaultdict(list), Counter()
        for document, bag in enumerate(self.bags):
            for term, tf in bag.items():
                self.postings[term].append((document, tf))
                self.frequency[term] += tf

    @property
    def N(self):
        return len(self.ids)

    @property
    def T(self):
        return sum(self.lengths)


def accumulate(collection, query, weigh):
    """Sums weigh(term, weight, tf, length) over query entries; entries may name the same term twice."""
    scores = defaultdict(float)
    for term, weight in query:
        for document, tf in collection.postings.get(term, ()):
            scores[document] += weigh(term, weight, tf, document)
    return scores


def by_index_order(scores):
    return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:DEPTH]


# Terrier ------------------------------------------------------------------------------------------------------------

def terrier_query(surface, pipeline):
    """Surface tokens to weighted stems: equal tokens merge, then neighbours of equal stem; weights over the largest."""
    entries = [[stem, count] for token, count in Counter(surface).items() if (stem := pipeline[token]) is not None]
    merged, previous = [], None
    for entry in entries:
        if previous and previous[0] == entry[0]:
            previous[1] += entry[1]  # Terrier's slip: of three or more in a row, the third joins an entry already gone
        else:
            merged.append(entry)
        previous = entry
    return normalised(merged)


def normalised(query):
    largest = max((weight for _, weight in query), default=1)
    return [(term, weight / largest) for term, weight in query]


def dph(collection, query):
    N, average = collection.N, collection.T / collection.N

    def weigh(term, weight, tf, document):
        length = collection.lengths[document]
        f = tf / length if tf < length else 0.99999
        gain = tf * math.log2(tf * average / length * N / collection.frequency[term])
        return weight * (1 - f) ** 2 / (tf + 1) * (gain + 0.5 * math.log2(2 * math.pi * tf * (1 - f)))

    return by_index_order(accumulate(collection, query, weigh))


def terrier_bm25(collection, query, k1=1.2, b=0.75, k3=8):
    N, average = collection.N, collection.T / collection.N

    def weigh(term, weight, tf, document):
        n = len(collection.postings[term])
        K = k1 * (1 - b + b * collection.lengths[document] / average)
        return math.log2((N - n + 0.5) / (n + 0.5)) * (k1 + 1) * tf / (K + tf) * (k3 + 1) * weight / (k3 + weight)

    return by_index_order(accumulate(collection, query, weigh))


def terrier_dirichlet(collection, query, mu=2500):
    def weigh(term, _weight, tf, document):
        prior = mu * collection.frequency[term] / collection.T
        return math.log2(1 + tf / prior) + math.log2(mu / (collection.lengths[document] + mu))

    return by_index_order(accumulate(collection, query, weigh))


def expansion_weights(collection, query, feedback, model):
    """Unnormalised weights of the feedback set's terms, its term frequencies and its length."""
    tfx, dfx = Counter(), Counter()
    for document in feedback:
        tfx.update(collection.bags[document])
        dfx.update(collection.bags[document].keys())
    lx = sum(collection.lengths[document] for document in feedback)
    asked = {term for term, _ in query}
    weights = {}
    for term, tf in tfx.items():
        F = collection.frequency[term]
        if len(feedback) >= 2 and dfx[term] < 2 and term not in asked:
            weights[term] = 0.0
        elif model == "KL":
            inside, outside = tf / lx, F / collection.T
            weights[term] = 0.0 if inside < outside else inside * math.log2(inside / outside)
        else:
            rate = F / collection.N
            weights[term] = tf * math.log2((1 + rate) / rate) + math.log2(1 + rate)
    return weights, tfx, lx


def expand(collection, query, ranking, model="KL", documents=3, terms=10, parameter_free=True):
    """The expanded query before its weights are normalised, and the weight of the terms a tie at the cut left open
    (None where the cut is clear): which of them get in is the order of Terrier's hash table."""
    feedback = [document for document, _ in ranking[:documents]]
    weights, tfx, lx = expansion_weights(collection, query, feedback, model)
    heaviest = max(weights, key=weights.get)
    if not parameter_free:
        normaliser = weights[heaviest] / 0.4
    elif model == "KL":
        normaliser = tfx[heaviest] * math.log2(collection.T / lx) / lx
    else:
        f = tfx[heaviest] / collection.N
        normaliser = tfx[heaviest] * math.log2((1 + f) / f) + math.log2(1 + f)
    order = sorted(weights, key=lambda term: -weights[term])
    size = max(terms, len(query))
    last, first_out = (weights[order[i]] if i < len(order) else math.inf for i in (size - 1, size))
    tie = last if math.isclose(last, first_out, rel_tol=1e-12) and math.isfinite(last) else None
    expanded = [[term, weight] for term, weight in query]
    for term in order[:size]:
        entry = next((entry for entry in expanded if entry[0] == term), None)
        if entry:
            entry[1] += weights[term] / normaliser
        else:
            expanded.append([term, weights[term] / normaliser])
    return expanded, tie


# Anserini -----------------------------------------------------------------------------------------------------------

def lucene_length(length):
    """A document length after Lucene's one-byte norm (SmallFloat int-to-byte and back)."""
    if length < 24:
        return length
    rest = length - 24
    shift = max(0, rest.bit_length() - 4)
    return 24 + (rest >> shift << shift)


def by_document_id(collection, scores):
    return sorted(((d, s) for d, s in scores.items()), key=lambda hit: (-hit[1], collection.ids[hit[0]]))[:DEPTH]


def bm25(collection, query, length, k1=0.9, b=0.4):
    N, average = collection.N, collection.T / collection.N

    def weigh(term, weight, tf, document):
        n = len(collection.postings[term])
        idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        return weight * idf * tf / (tf + k1 * (1 - b + b * length(collection.lengths[document]) / average))

    return by_document_id(collection, accumulate(collection, query, weigh))


def ql(collection, query, length, mu=1000):
    T = collection.T

    def weigh(term, weight, tf, document):
        p = (collection.frequency[term] + 1) / (T + 1)
        smoothed = math.log(1 + tf / (mu * p)) + math.log(mu / (length(collection.lengths[document]) + mu))
        return max(0.0, weight * smoothed)

    return by_document_id(collection, accumulate(collection, query, weigh))


def heaviest_terms(weights, count):
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:count])


def unit(weights):
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()}


def rm3(collection, query, ranking, indexed, documents=10, terms=10, original=0.5):
    """The interpolated query; `ranking` must carry the scores of the first pass. `indexed` counts documents without a
    single term too, which N does not."""

    def eligible(term):
        plain = term.isascii() and term.isalnum() and term == term.lower()
        return plain and 2 <= len(term) <= 20 and len(collection.postings[term]) / indexed <= 0.1

    model = Counter()
    for document, score in ranking[:documents]:
        bag = {term: tf for term, tf in collection.bags[document].items() if eligible(term)}
        for term, share in unit(heaviest_terms(bag, terms)).items():
            model[term] += share * score
    feedback, asked = unit(heaviest_terms(model, terms)), unit(dict(query))
    return {term: original * asked.get(term, 0) + (1 - original) * feedback.get(term, 0) for term in asked | feedback}
