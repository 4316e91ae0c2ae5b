"""Ranking training: cross-encoders of several sizes learn the same targets from the same batches.

    python -m training.rank --groups DIR/groups.pt --init S=DIR T=DIR --vocabulary models/tiny --seconds 400 --out DIR

Loss of a group: Kullback–Leibler divergence from the softmax of the targets over its candidates (order), plus
binary cross-entropy against each target's probability (calibration). Both are least at the same logits.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .clock import Clock, every, log
from .groups import BUCKETS, CANDIDATES, Groups, Target
from .model import FOLDERS, SIZES, CrossEncoder, export, load_weights
from .optim import Optimizer, schedule

LEARNING_RATES = {"S": 6e-4, "T": 1e-3}
POINTWISE_WEIGHT = 0.5


def ranking_loss(z: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """(listwise, pointwise) for logits and targets [groups, candidates]."""
    listwise = F.kl_div(F.log_softmax(z, 1), F.log_softmax(target, 1), reduction="batchmean", log_target=True)
    pointwise = F.binary_cross_entropy_with_logits(z, torch.sigmoid(target))
    return listwise, pointwise


def agreement(z: Tensor, target: Tensor) -> Tensor:
    """Share of candidate pairs, apart by more than one in the target, that the model puts in the same order."""
    wanted, given = target[:, :, None] - target[:, None, :], z[:, :, None] - z[:, None, :]
    apart = wanted > 1
    return ((given > 0) & apart).sum() / apart.sum().clamp(min=1)


def rehearse(models: dict[str, CrossEncoder], device: torch.device) -> None:
    """Compile every shape on made-up input, so that the compiler's cache is warm when the real run starts."""
    for bucket in BUCKETS:
        ids = torch.randint(5, 1000, (bucket.groups * CANDIDATES, bucket.length), device=device)
        for model in models.values():
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                z = model(ids, ids % 2, ids > 6)
            z.sum().backward()
        log("rehearsed", bucket)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=Path)
    parser.add_argument("--feedback", type=Path, help="chunks of training.feedback instead of plain ones")
    parser.add_argument("--chunk-share", type=float, default=0.23)
    parser.add_argument("--rehearse", action="store_true", help="only warm the compiler's cache")
    parser.add_argument("--init", nargs="+", required=True, help="SIZE=FOLDER")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--rate", type=float, default=1.0, help="factor on the learning rates")
    parser.add_argument(
        "--batch", type=float, default=1.0, help="factor on the batch sizes (small for a trial on a CPU)"
    )
    parser.add_argument("--target", nargs="*", default=[], help="NAME=VALUE of the target's parameters")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch._dynamo.config.recompile_limit = 64
    torch.manual_seed(options.seed)
    choose = random.Random(options.seed)
    target = Target(**{name: float(value) for name, value in (t.split("=") for t in options.target)})
    models: dict[str, CrossEncoder] = {}
    optimizers: dict[str, Optimizer] = {}
    for letter, folder in (pair.split("=", 1) for pair in options.init):
        model = CrossEncoder(SIZES[letter])
        log(letter, "from", folder, "new:", load_weights(model, Path(folder)))
        model.to(device).train()
        if device.type == "cuda":
            model.bert.compile_layers()
        models[letter] = model
        optimizers[letter] = Optimizer(model, LEARNING_RATES[letter] * options.rate)
    if options.rehearse:
        rehearse(models, device)
        return
    buckets = tuple(replace(b, groups=max(1, int(b.groups * options.batch))) for b in BUCKETS)
    groups = Groups(options.groups, options.feedback, options.chunk_share, device, buckets)
    chances = groups.bucket_chances.tolist()
    log("target:", target.describe(), "buckets:", " ".join(f"{c:.3f}" for c in chances))
    clock = Clock(options.seconds, options.steps)
    due = every(15)
    history: list[Tensor] = []
    trained = 0
    while (done := clock.done()) < 1:
        bucket = clock.step if clock.step < len(BUCKETS) else choose.choices(range(len(BUCKETS)), chances)[0]
        batch = groups.batch(bucket)
        wanted = target.of(batch)
        figures = []
        for letter, model in models.items():
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                z = model(batch.ids, batch.segments, batch.mask).view(-1, CANDIDATES)
            listwise, pointwise = ranking_loss(z, wanted)
            (listwise + POINTWISE_WEIGHT * pointwise).backward()
            optimizers[letter].step(schedule(done))
            figures += [listwise.detach(), pointwise.detach(), agreement(z.detach(), wanted)]
        history.append(torch.stack(figures))
        trained += len(batch.kinds)
        clock.tick()
        if due():
            means = torch.stack(history).mean(0).tolist()
            log(f"step {clock.step} done {done:.2f} groups {trained}", " ".join(f"{m:.4f}" for m in means))
            history = []
    log(f"ranking: {clock.step} steps, {trained} groups of {CANDIDATES}")
    for letter, model in models.items():
        export(model, letter, options.out / FOLDERS[letter], options.vocabulary)


if __name__ == "__main__":
    main()
