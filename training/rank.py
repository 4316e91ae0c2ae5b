"""Ranking training: cross-encoders of several sizes learn the same targets from the same batches.

    python -m training.rank --groups DIR/groups.pt --feedback DIR/feedback.pt --init S=DIR@0.7 T=DIR@0.8 \
        --vocabulary models/tiny --steps 9566 --out DIR

A run ends after --seconds, or after --steps. With --state FILE it is saved every two minutes and goes on from there; models are
written as well.

The loss of a group is the Kullback–Leibler divergence from the softmax of the targets over its candidates (order), plus
half the binary cross-entropy against each target's probability (calibration). Both are least at the same logits.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .groups import CANDIDATES, GROUPS, Batch, Groups, Target
from .model import FOLDERS, SIZES, CrossEncoder, export, load_weights
from .optim import Optimizer, schedule
from .progress import every, log

LEARNING_RATES = {"S": 6e-4, "T": 1e-3}
POINTWISE_WEIGHT = 0.5


def ranking_loss(z: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """(listwise, pointwise) for logits and targets [groups, candidates]."""
    listwise = F.kl_div(F.log_softmax(z, 1), F.log_softmax(target, 1), reduction="batchmean", log_target=True)
    pointwise = F.binary_cross_entropy_with_logits(z, torch.sigmoid(target))
    return listwise, pointwise


def agreement(z: Tensor, target: Tensor) -> Tensor:
    """Share of candidate pairs more than one apart in the target that the model puts in the same order."""
    wanted, given = target[:, :, None] - target[:, None, :], z[:, :, None] - z[:, None, :]
    apart = wanted > 1
    return ((given > 0) & apart).sum() / apart.sum().clamp(min=1)


def log_odds(model: CrossEncoder, batch: Batch) -> Tensor:
    """Log-odds [groups, candidates]."""
    return torch.cat([model(*part) for part in batch.parts])[batch.places].view(-1, CANDIDATES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=Path, required=True)
    parser.add_argument("--feedback", type=Path, help="chunks of training.feedback instead of plain ones")
    parser.add_argument("--chunk-share", type=float, nargs="+", default=[0.23], help="one, or one for each of --init")
    parser.add_argument("--init", nargs="+", required=True, help="SIZE=FOLDER, @FACTOR behind it for the learning rate")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--state", type=Path, help="file to save to and to go on from")
    parser.add_argument("--batch", type=float, default=1.0, help="factor on the batch sizes")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch._dynamo.config.recompile_limit = 64
    torch.manual_seed(options.seed)
    models: dict[str, CrossEncoder] = {}
    optimizers: dict[str, Optimizer] = {}
    for letter, folder in (pair.split("=", 1) for pair in options.init):
        folder, _, factor = folder.partition("@")
        model = CrossEncoder(SIZES[letter])
        log(letter, "from", folder, "new:", load_weights(model, Path(folder)))
        model.to(device).train()
        if device.type == "cuda":
            model.bert.compile_layers()
        models[letter] = model
        optimizers[letter] = Optimizer(model, LEARNING_RATES[letter] * float(factor or 1))
    groups = Groups(options.groups, options.feedback, device, max(1, int(GROUPS * options.batch)))
    target = Target(lexical=groups.lexical_weight)
    shares = options.chunk_share * (len(models) if len(options.chunk_share) == 1 else 1)
    mixtures = {share: groups.mixture(share) for share in set(shares)}
    share_of = dict(zip(models, shares, strict=True))
    log("chunks' cosines, mean and deviation:", groups.moments, {s: m.lengths for s, m in mixtures.items()})
    due, save_due = every(15), every(120)
    history: list[Tensor] = []
    step = trained = 0
    earlier = 0.0
    if options.state and options.state.exists():
        saved = torch.load(options.state, map_location=device, weights_only=True)
        step, trained, earlier = saved["step"], saved["trained"], saved["seconds"]
        for letter, model in models.items():
            model.load_state_dict(saved["models"][letter])
            optimizers[letter].load_state_dict(saved["optimizers"][letter])
        torch.manual_seed(options.seed + step)
        log(f"goes on from step {step}")
    started = time.time() - earlier

    def write() -> None:
        for letter, model in models.items():
            export(model, letter, options.out / FOLDERS[letter], options.vocabulary)

    def done() -> float:
        share = step / options.steps if options.steps else 0.0
        return max(share, (time.time() - started) / options.seconds)

    while done() < 1:
        batches = {share: groups.batch(mixture) for share, mixture in mixtures.items()}
        figures = []
        factor = schedule(done())
        for letter, model in models.items():
            batch = batches[share_of[letter]]
            wanted = target.of(batch)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                z = log_odds(model, batch)
            listwise, pointwise = ranking_loss(z, wanted)
            (listwise + POINTWISE_WEIGHT * pointwise).backward()
            optimizers[letter].step(factor)
            figures += [listwise.detach(), pointwise.detach(), agreement(z.detach(), wanted)]
        history.append(torch.stack(figures))
        trained += groups.count
        step += 1
        if step % 16 == 0:
            history[-1].sum().item()  # waits for the device, so that the clock is true
        if due():
            means = torch.stack(history).mean(0).tolist()
            log(f"step {step}, {trained} groups, {done():.0%}", " ".join(f"{m:.4f}" for m in means))
            history = []
        if options.state and save_due():
            torch.save(
                {
                    "step": step,
                    "trained": trained,
                    "seconds": time.time() - started,
                    "models": {letter: model.state_dict() for letter, model in models.items()},
                    "optimizers": {letter: o.state_dict() for letter, o in optimizers.items()},
                },
                options.state,
            )
            write()
    log(f"ranking: {step} steps, {trained} groups of {CANDIDATES}")
    write()


if __name__ == "__main__":
    main()
