"""How many documents kd give chunks, how many chunks kc, of how many words m: searched on development sets.

    python -m training.feedback_size --sets dkl-dev.json.gz --first S=models/small --third T=models/tiny --vocabulary models/tiny \
        --documents 3 5 10 20 --words 50 80 --kept 3 5 8

--cut 36 leaves of every document its first words only, as collections of short documents have them; --share .5 makes no chunk longer than
half of its passage.
"""

from __future__ import annotations

import argparse
import copy
import itertools

import numpy as np

from .clock import log
from .residual import GRID, Feedback, add_options, load, shorten
from .score import Pipeline

FLAT = GRID.index((0.0, 0.95))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--documents", type=int, nargs="+", default=[10])
    parser.add_argument("--words", type=int, nargs="+", default=[50])
    parser.add_argument("--kept", type=int, nargs="+", default=[5])
    parser.add_argument("--cut", type=int, help="words of a document that are kept")
    parser.add_argument("--share", type=float, nargs="+", default=[1.0], help="of a passage that a chunk may be")
    parser.add_argument("--collections", nargs="*", help="only these")
    options = parser.parse_args()
    sets, pieces, models = load(options)
    device, first = next(models["third"].parameters()).device, options.first[0]
    whole: dict[str, Pipeline] = {}
    sets = {name: entry for name, entry in sets.items() if not options.collections or name in options.collections}
    for name, entry in sets.items():
        shorten(entry, options.limit)
        if options.cut:
            entry["passages"] = {
                d: [" ".join(texts[0].split()[: options.cut])] for d, texts in entry["passages"].items()
            }
        whole[name] = Pipeline(entry, pieces, {first: models[first]}, device)
    grid = itertools.product(options.words, options.share, options.documents, options.kept)
    for words, share, documents, kept in grid:
        rows = []
        for name, entry in sets.items():
            made = copy.copy(whole[name])
            made.chunk_words, made.chunks, made.feedback_documents, made.share = words, kept, documents, share
            made.phase_two_cache = {}
            here = Feedback(entry, made, first + first)
            values = here.phase_three(models["third"], range(len(here)))
            rows.append(np.stack([here.measure(q, v) for q, v in values.items()]).mean(0))
        table = np.stack(rows)
        for point in (i for i, (a, b) in enumerate(GRID) if a in (0.1, 0.15, 0.2, 0.3) and b == 0.95):
            gain = table[:, point] - table[:, FLAT]
            parts = " ".join(f"{n} {g:+.4f}" for n, g in zip(sets, gain, strict=True))
            log(
                f"kd {documents} m {words} share {share} kc {kept} α {GRID[point][0]}: {gain.mean():+.4f} | {parts}"
            )


if __name__ == "__main__":
    main()
