"""Which recipe fine-tunes phase three best, in five folds of development sets? (docs/models.md, section 16)

    python -m training.residual_recipes run --sets dkl-dev.json.gz --collection lisa --first S=models/small --third T=models/tiny \
        --vocabulary models/tiny --recipe residual,2e-4,0.3,24,6 --recipe listwise,2e-4,0.3,24,6 --out lisa.npz
    python -m training.residual_recipes report lisa.npz med.npz …

A recipe is loss, learning rate, α of the loss, candidates of a query in a step, epochs, and perhaps the share of chunks cut from relevant documents. Four parts of the queries train and the fifth is measured after
every epoch, at every α and β: nothing is chosen within a collection, so no validation queries are needed. With --soup N
the weights of N trainings, which differ in their order and their candidates, are averaged and measured as well. Kept:
"recipe/epoch" and "recipe/epoch of N" → [queries, GRID].
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from pathlib import Path

import numpy as np
import torch

from .clock import log
from .measure import paired_t_test
from .model import CrossEncoder
from .residual import GRID, Feedback, add_options, fit, load, shorten
from .score import Pipeline

FOLDS = 5
FLAT = GRID.index((0.0, 0.95))
SHOWN = [i for i, (a, b) in enumerate(GRID) if a in (0.1, 0.15, 0.2, 0.3, 0.4) and b == 0.95]


def add(sums: dict[int, list[torch.Tensor]], epoch: int, model: CrossEncoder) -> None:
    weights = [p.detach().double() for p in model.parameters()]
    sums[epoch] = [a + b for a, b in zip(sums[epoch], weights, strict=True)] if epoch in sums else weights


def run(options: argparse.Namespace) -> None:
    start = time.time()
    sets, pieces, models = load(options)
    entry = sets[options.collection]
    shorten(entry, options.limit)
    device, first = next(models["third"].parameters()).device, options.first[0]
    made = Pipeline(entry, pieces, {first: models[first]}, device, options.chunk_words, options.chunks)
    feedback = Feedback(entry, made, first + first)
    tables: dict[str, np.ndarray] = {}

    def measure(model, name: str, queries: list[int]) -> None:
        table = tables.setdefault(name, np.full((len(feedback), len(GRID)), np.nan))
        for query, values in feedback.phase_three(model, queries).items():
            table[query] = feedback.measure(query, values)

    measure(models["third"], "as it is/0", list(range(len(feedback))))
    for recipe in options.recipe:
        loss, rate, alpha, sampled, epochs, *judged = recipe.split(",")
        options.alpha, options.sampled, options.epochs = float(alpha), int(sampled), int(epochs)
        options.judged = float(judged[0]) if judged else 0.0
        for fold in range(FOLDS):
            tested = [q for q in range(len(feedback)) if q % FOLDS == fold]
            train = [q for q in range(len(feedback)) if q % FOLDS != fold]
            sums: dict[int, list[torch.Tensor]] = {}
            for soup in range(options.soup):
                model = copy.deepcopy(models["third"])

                def after_epoch(epoch: int, model=model, tested=tested, soup=soup, sums=sums) -> None:
                    if soup == 0:
                        measure(model, f"{recipe}/{epoch}", tested)
                    add(sums, epoch, model)

                fit(
                    model,
                    [(feedback, train)],
                    options,
                    loss,
                    float(rate),
                    after_epoch,
                    fold + FOLDS * (options.seed + 100 * soup),
                )
            for epoch, total in sums.items() if options.soup > 1 else ():
                with torch.no_grad():
                    for parameter, values in zip(model.parameters(), total, strict=True):
                        parameter.copy_(values / options.soup)
                measure(model, f"{recipe}/{epoch} of {options.soup}", tested)
        np.savez_compressed(options.out, **tables)
        log(f"{options.collection} {recipe}: {time.time() - start:.0f} s")


def report(paths: list[Path]) -> None:
    """Gains over MaxP, recipe by recipe and epoch by epoch; several files of a collection hold different recipes."""
    tables: dict[str, dict[str, np.ndarray]] = {}
    for path in paths:
        tables.setdefault(path.stem.split(".")[0], {}).update(np.load(path))
    everywhere = [n for n in next(iter(tables.values())) if all(n in t for t in tables.values())]
    for name in everywhere:
        for point in SHOWN:
            pairs = [(t[name][:, point], t[name][:, FLAT]) for t in tables.values()]
            gains = [(a - b).mean() for a, b in pairs]
            parts = " ".join(
                f"{c} {g:+.4f} ({paired_t_test(a, b):.2f})"
                for c, g, (a, b) in zip(tables, gains, pairs, strict=True)
            )
            print(f"{name} α {GRID[point][0]:<4} mean {np.mean(gains):+.4f} | {parts}")


def main() -> None:
    if sys.argv[1:2] == ["report"]:
        report([Path(path) for path in sys.argv[2:]])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["run"])
    add_options(parser)
    parser.add_argument("--collection", required=True)
    parser.add_argument(
        "--recipe", action="append", required=True, help="loss,rate,alpha,candidates,epochs[,judged]"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--soup", type=int, default=1, help="trainings whose weights are averaged")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
