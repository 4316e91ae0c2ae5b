"""Short runs of T that decide what a chunk of feedback should be trained towards, and how they compare.

    python -m training.phase_three_trials list       # LETTER, NAME and arguments of training.rank, one per line
    python -m training.phase_three_trials compare --sets dkl-dev.json.gz --scores trials.npz

All start from the same T; phases one and two are the same S, so they differ in rel(C, d) alone.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
from functools import partial
from pathlib import Path

import numpy as np

from .measure import Calibration, expanded, interpolated, read, table

TRIALS = {
    "A": ("plain", ""),
    "B": ("own", "--feedback FEEDBACK --target hidden=0 own=16"),
    "C": ("hidden", "--feedback FEEDBACK --target hidden=1"),
    "D": ("centroid", "--feedback FEEDBACK --target hidden=0 centroid=24"),
    "E": ("centroid-hidden", "--feedback FEEDBACK --target hidden=0.5 centroid=12"),
    "F": ("centroid-own", "--feedback FEEDBACK --target hidden=0 own=8 centroid=12"),
}
BETAS = [0.85, 0.9, 0.95]
ALPHAS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
FIRST = Calibration(0.6, -4.0)
THIRD = [Calibration(scale, shift) for scale in (0.3, 0.6, 1.0) for shift in (-7.0, -5.0, -4.0, -3.0)]


def compare(sets_path: Path, scores: Path, variant: str) -> str:
    """What one phase three adds to S, at the calibration, α and β that suit it best."""
    sets = read(sets_path, scores, "S", variant)
    grid = list(itertools.product(ALPHAS, BETAS))
    flat = np.stack([table(q, lambda x: interpolated(x, BETAS, FIRST)).mean(0) for q in sets.values()])
    base = flat[:, flat.mean(0).argmax()]
    results = []
    for third in THIRD:
        deep = np.stack(
            [table(q, lambda x, third=third: expanded(x, grid, FIRST, third)).mean(0) for q in sets.values()]
        )
        best = int(deep.mean(0).argmax())
        results.append((deep.mean(0)[best], third, grid[best], deep[:, best] - base))
    value, third, parameters, gains = max(results, key=lambda r: r[0])
    name = TRIALS[variant[2]][0] if variant[2] in TRIALS else variant
    per_set = " ".join(f"{n} {g:+.4f}" for n, g in zip(sets, gains, strict=True))
    return f"{name}: MaxP {base.mean():.4f}, BERT-QE {value:.4f} at {third}, alpha and beta {parameters}\n    {per_set}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["list", "compare"])
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--variants", nargs="*", default=["SST", *(f"SS{letter}" for letter in TRIALS)])
    options = parser.parse_args()
    if options.command == "list":
        for letter, (name, arguments) in TRIALS.items():
            print(letter, name, arguments)
        return
    with multiprocessing.get_context("fork").Pool(len(options.variants)) as pool:
        for text in pool.imap(partial(compare, options.sets, options.scores), options.variants):
            print(text)


if __name__ == "__main__":
    main()
