"""Does phase three learn from some collections what holds in others? (docs/models.md, section 16)

    python -m training.residual_transfer --sets dkl-dev.json.gz --first S=models/small --third T=models/tiny \
        --vocabulary models/tiny --hold med,demo,obliqa_dev --out DIR

Trains phase three (training.residual) on the development sets but those held, and measures it on these, at every point of the grid
of α and β and at several points between the weights before and after; without --hold it trains on all of them. Kept under DIR:
nDCG@20 of every query ("set/mix" → [queries, GRID]) and, without --hold, the model at every mix.

    python -m training.residual_transfer report DIR…     every set once, the DIRs together as one trial
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from pathlib import Path

import numpy as np

from .clock import log
from .measure import paired_t_test
from .model import CrossEncoder, export
from .residual import GRID, Feedback, add_options, fit, load, shorten
from .score import Pipeline

MIXES = (0.0, 0.25, 0.5, 0.75, 1.0)
FLAT = GRID.index((0.0, 0.95))


def between(before: CrossEncoder, after: CrossEncoder, mix: float) -> CrossEncoder:
    """Weights on the line from one model to the other."""
    out = copy.deepcopy(before)
    theirs = after.state_dict()
    out.load_state_dict(
        {
            name: value + mix * (theirs[name] - value) if value.is_floating_point() else value
            for name, value in out.state_dict().items()
        }
    )
    return out.eval()


def measure(feedback: Feedback, third: CrossEncoder) -> np.ndarray:
    values = feedback.phase_three(third, range(len(feedback)))
    return np.stack([feedback.measure(q, v) for q, v in values.items()])


def report(folders: list[Path]) -> None:
    tables: dict[str, np.ndarray] = {}
    for folder in folders:
        tables |= dict(np.load(folder / "held.npz"))
    names = list(dict.fromkeys(key.split("/")[0] for key in tables))
    for mix in dict.fromkeys(key.split("/")[1] for key in tables):
        for point in (i for i, (a, b) in enumerate(GRID) if a in (0.1, 0.15, 0.2, 0.3, 0.4) and b == 0.95):
            pairs = [(tables[f"{n}/{mix}"][:, point], tables[f"{n}/{mix}"][:, FLAT]) for n in names]
            gains = [(a - b).mean() for a, b in pairs]
            parts = " ".join(
                f"{n} {g:+.4f} ({paired_t_test(a, b):.2f})"
                for n, g, (a, b) in zip(names, gains, pairs, strict=True)
            )
            print(f"{mix:>7} α {GRID[point][0]:<4} mean {np.mean(gains):+.4f} | {parts}")


def main() -> None:
    if sys.argv[1:2] == ["report"]:
        report([Path(path) for path in sys.argv[2:]])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--loss", default="residual", choices=["listwise", "residual"])
    parser.add_argument("--hold", default="", help="sets that do not train but are measured")
    parser.add_argument("--only", default="", help="the sets that may train")
    parser.add_argument("--most", type=int, default=100, help="queries of a set that train in an epoch")
    options = parser.parse_args()
    start = time.time()
    sets, pieces, models = load(options)
    third, first = models["third"], options.first[0]
    device = next(third.parameters()).device
    held = [name for name in options.hold.split(",") if name]
    only = [name for name in options.only.split(",") if name]
    ready: dict[str, Feedback] = {}
    for name, entry in sets.items():
        if name in held or not only or name in only:
            shorten(entry, options.limit)
            made = Pipeline(
                entry, pieces, {first: models[first]}, device, options.chunk_words, options.chunks
            )
            ready[name] = Feedback(entry, made, first + first)
    log(f"{time.time() - start:.0f} s: sets ready")
    before = copy.deepcopy(third)
    training = [(f, list(range(len(f)))[: options.most]) for name, f in ready.items() if name not in held]
    options.out.mkdir(parents=True, exist_ok=True)
    tables: dict[str, np.ndarray] = {}

    def judge(mix: str, model: CrossEncoder) -> None:
        for name in held:
            tables[f"{name}/{mix}"] = measure(ready[name], model)

    def after_epoch(epoch: int) -> None:
        if epoch < options.epochs:
            judge(f"epoch {epoch}", third)

    fit(third, training, options, options.loss, options.rate, after_epoch, 1)
    for mix in MIXES:
        model = between(before, third, mix)
        judge(f"{mix:.2f}", model)
        if not held:
            export(model, options.third[0], options.out / f"{mix:.2f}", options.vocabulary)
    np.savez_compressed(options.out / "held.npz", **tables)
    log(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
