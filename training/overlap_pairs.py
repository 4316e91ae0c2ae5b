"""Chunks of feedback passages with the candidates of the same hidden query, found by shared words alone.

    python -m training.overlap_pairs --corpus DIR --documents 40000 --hidden 40000 --words 10 13 --vocabulary models/tiny --out pairs.pt

Hidden queries (titles, keywords, questions, sentences, needs) search the passages by the cosine of idf-weighted sets of word pieces;
the first ten are cut into windows, and a window's candidates are those of its hidden query. No teacher is asked, and no label.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import torch
from torch import Tensor

from .clock import log
from .dataset import Ragged, build
from .queries import KEYWORDS, NEED, QUESTION, SENTENCE, TITLE
from .text import VOCABULARY_SIZE, WordPieces

HIDDEN = (QUESTION, TITLE, KEYWORDS, SENTENCE, NEED)
LISTED, FEEDBACK, CHUNKS_PER_QUERY = 100, 10, 4
LONGEST_CHUNK, LONGEST_PASSAGE = 160, 208
BLOCK = 128


class Words:
    """Texts as unit vectors over their sets of pieces; a piece weighs the log of how few passages hold it."""

    def __init__(self, idf: np.ndarray) -> None:
        self.idf = idf

    @staticmethod
    def of(passages: Ragged, pieces: list[str]) -> Words:
        held = np.asarray((sets(passages) > 0).sum(0)).ravel()
        idf = np.log(len(passages) / (1 + held)).clip(0)
        idf[[len(p) == 1 and not p.isalnum() for p in pieces]] = 0
        return Words(idf.astype(np.float32))

    def vectors(self, texts: Ragged) -> sparse.csr_matrix:
        weighted = sets(texts) @ sparse.diags(self.idf)
        norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(1)).ravel())
        return (sparse.diags(1 / np.maximum(norms, 1e-6)) @ weighted).tocsr()


def sets(texts: Ragged) -> sparse.csr_matrix:
    rows = np.repeat(np.arange(len(texts)), np.diff(texts.ends))
    ones = np.ones(len(rows), dtype=np.float32)
    matrix = sparse.csr_matrix((ones, (rows, texts.values)), shape=(len(texts), VOCABULARY_SIZE))
    matrix.data[:] = 1
    return matrix


def ragged(rows: list[np.ndarray]) -> Ragged:
    return Ragged.of(np.concatenate(rows), np.array([len(r) for r in rows]))


def padded(rows: list[np.ndarray], width: int) -> tuple[Tensor, Tensor]:
    table = torch.zeros(len(rows), width, dtype=torch.int16)
    lengths = torch.tensor([min(width, len(r)) for r in rows])
    for number, row in enumerate(rows):
        table[number, : lengths[number]] = torch.from_numpy(row[:width].astype(np.int16))
    return table, lengths


def windows(passage: np.ndarray, continues: np.ndarray, words: int) -> list[np.ndarray]:
    """Windows of so many words, half overlapping."""
    starts = np.append(np.flatnonzero(~continues[passage]), len(passage))
    firsts = range(0, max(1, len(starts) - words), max(1, words // 2))
    return [passage[starts[i] : starts[min(i + words, len(starts) - 1)]][:LONGEST_CHUNK] for i in firsts]


STATE: dict[str, object] = {}


def make_block(start: int) -> tuple[np.ndarray, list[np.ndarray], list[int], list[int]]:
    """Lists of a block of hidden queries; chunks, whose they are, and where in its list each was cut from."""
    words, passages, asked = STATE["words"], STATE["passages"], STATE["asked"]
    shortest, longest = STATE["lengths"]
    rng = np.random.default_rng([11, start])
    scores = (asked[start : start + BLOCK] @ STATE["transposed"]).toarray()
    best = np.argpartition(-scores, LISTED, axis=1)[:, :LISTED]
    order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1)
    listed = np.take_along_axis(best, order, 1).astype(np.int32)
    chunks, owners, columns = [], [], []
    for row, numbers in enumerate(listed):
        # lengths are drawn evenly on a scale of ratios
        size = round(shortest * (longest / shortest) ** rng.random())
        mine = [
            (window, column)
            for column, number in enumerate(numbers[:FEEDBACK])
            for window in windows(passages[number], STATE["continues"], size)
        ]
        suits = (words.vectors(ragged([w for w, _ in mine])) @ asked[start + row].T).toarray().ravel()
        # phase two prefers what resembles the query; a little luck keeps the chunks apart
        for at in np.argsort(-(suits + rng.gumbel(0, 0.05, len(mine))))[:CHUNKS_PER_QUERY]:
            chunks.append(mine[at][0])
            owners.append(start + row)
            columns.append(mine[at][1])
    return listed, chunks, owners, columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--documents", type=int, help="about so many, evenly spread; all without this")
    parser.add_argument("--hidden", type=int, default=40_000)
    parser.add_argument("--words", type=int, nargs=2, default=(10, 13), help="shortest and longest chunk")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pieces = WordPieces(options.vocabulary)
    workers = os.cpu_count() or 1
    data = build(options.corpus, options.vocabulary, workers, options.documents)
    # a passage of ten words has no windows to cut
    whole = np.flatnonzero(~data["passage_is_chunk"])
    every = Ragged.of(data["passage"], data["passage_lengths"])
    passages = ragged([every[i] for i in whole])
    queries = Ragged.of(data["query"], data["query_lengths"])
    words = Words.of(passages, pieces.pieces)
    kinds = np.flatnonzero(np.isin(data["query_kind"], HIDDEN))
    drawn = np.random.default_rng(11).permutation(kinds)[: options.hidden]
    asked, vectors = words.vectors(ragged([queries[i] for i in drawn])), words.vectors(passages)
    STATE.update(
        words=words,
        passages=passages,
        asked=asked,
        transposed=vectors.T.tocsr(),
        lengths=tuple(options.words),
        continues=np.array(pieces.continuation_flags()),
    )
    log(f"{len(passages)} passages, {len(drawn)} hidden queries")
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        blocks = pool.map(make_block, range(0, len(drawn), BLOCK), chunksize=1)
    chunks = [chunk for block in blocks for chunk in block[1]]
    owners = [owner for block in blocks for owner in block[2]]
    chunk_table, chunk_lengths = padded(chunks, LONGEST_CHUNK)
    passage_table, passage_lengths = padded([passages[i] for i in range(len(passages))], LONGEST_PASSAGE)
    torch.save(
        {
            "chunks": chunk_table,
            "chunk_lengths": chunk_lengths,
            "passages": passage_table,
            "passage_lengths": passage_lengths,
            "families": torch.from_numpy(data["passage_family"][whole]),
            "owners": torch.tensor(owners),
            "columns": torch.tensor([column for block in blocks for column in block[3]]),
            "listed": torch.from_numpy(np.concatenate([block[0] for block in blocks])),
            "idf": torch.from_numpy(words.idf),
        },
        options.out,
    )
    for at in range(0, len(chunks), max(1, len(chunks) // 6)):
        query = pieces.decode(queries[drawn[owners[at]]].tolist())
        log(f"[{query}] → [{pieces.decode(chunks[at].tolist())}]")
    log(f"{len(chunks)} chunks, to {options.out}")


if __name__ == "__main__":
    main()
