"""Short ranking runs that decide the target and the learning rate, and the choice between them.

    python -m training.trials list                      # NAME and the arguments of training.rank, one per line
    python -m training.trials pick --sets dev.json.gz --scores DIR   # arguments for the long run

Each trial trains S from the same start for the same number of steps. The choice looks at development
collections only: mean nDCG@20 over them, of the model alone plus interpolated with the initial ranking at its best β.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from .measure import BETAS, Calibration, interpolated, read, table

TRIALS = {
    "mixed": "",
    "no-words": "--target lexical=0 centre=0.36",
    "no-teacher": "--target cosine=0 lexical=14 lexical_centre=0.5",
    "sharper": "--target cosine=24 lexical=12",
    "faster": "--rate 2",
}
# a trial without the teacher is run to learn what the teacher is worth, not to be chosen
TARGETS = ("mixed", "no-words", "sharper")


def values(sets: Path, scores: Path, letter: str = "S") -> dict[str, float]:
    """Development means: initial ranking, model alone, interpolated at the best β."""
    collections = read(sets, scores, letter, None)
    initial = np.mean([table(q, lambda x: x.initial[None]).mean() for q in collections.values()])
    alone = np.mean([table(q, lambda x: x.z[None]).mean() for q in collections.values()])
    flat = np.mean(
        [table(q, lambda x: interpolated(x, BETAS, Calibration())).mean(0) for q in collections.values()],
        axis=0,
    )
    return {"initial": float(initial), "alone": float(alone), "interpolated": float(flat.max())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["list", "pick"])
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--scores", type=Path, help="folder with NAME.npz for each trial")
    options = parser.parse_args()
    if options.command == "list":
        for name, arguments in TRIALS.items():
            print(name, arguments)
        return
    results = {}
    for name in TRIALS:
        path = options.scores / f"{name}.npz"
        if path.exists():
            results[name] = values(options.sets, path)
            print(name, " ".join(f"{k} {v:.4f}" for k, v in results[name].items()), file=sys.stderr)
    merit = {name: result["interpolated"] + result["alone"] for name, result in results.items()}
    best = max((n for n in TARGETS if n in merit), key=merit.__getitem__, default="mixed")
    rate = TRIALS["faster"] if merit.get("faster", 0) > merit.get("mixed", 0) else ""
    print(f"{TRIALS[best]} {rate}".strip())


if __name__ == "__main__":
    main()
