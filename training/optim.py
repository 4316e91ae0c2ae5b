"""Muon for the layers' matrices, AdamW for everything else, and a schedule over a fraction of the run."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

MUON_MOMENTUM = 0.95
WEIGHT_DECAY = 0.01


def orthogonalise(matrices: Tensor, steps: int = 5) -> Tensor:
    """Nearest orthogonal matrices by Newton–Schulz iteration (quintic, Jordan's coefficients), a stack at once."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices.float()
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.float().norm(dim=(1, 2), keepdim=True).to(x.dtype) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * (gram @ gram)) @ x
    return (x.transpose(1, 2) if tall else x).float()


class Optimizer:
    """Muon updates are scaled to the size AdamW's would have, so one learning rate serves both."""

    def __init__(self, model: nn.Module, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        stacks: dict[tuple[int, ...], list[nn.Parameter]] = {}
        decayed, plain = [], []
        for name, parameter in model.named_parameters():
            if "encoder.layer" in name and parameter.ndim == 2:
                stacks.setdefault(tuple(parameter.shape), []).append(parameter)
            else:
                (decayed if parameter.ndim == 2 else plain).append(parameter)
        self.stacks = list(stacks.values())
        self.momenta = [[torch.zeros_like(p) for p in stack] for stack in self.stacks]
        self.adam = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": plain, "weight_decay": 0.0}],
            lr=learning_rate,
            betas=(0.9, 0.98),
            eps=1e-6,
            fused=next(model.parameters()).is_cuda,
        )
        self.parameters = list(model.parameters())

    def state_dict(self) -> dict[str, object]:
        return {"adam": self.adam.state_dict(), "momenta": self.momenta}

    def load_state_dict(self, state: dict) -> None:
        self.adam.load_state_dict(state["adam"])
        self.momenta = state["momenta"]

    @torch.no_grad()
    def step(self, factor: float) -> None:
        """One update at `factor` times the learning rate; gradients are clipped to norm 1 and cleared."""
        rate = self.learning_rate * factor
        torch.nn.utils.clip_grad_norm_([p for p in self.parameters if p.grad is not None], 1.0)
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        for stack, momenta in zip(self.stacks, self.momenta, strict=True):
            gradients = [p.grad for p in stack]
            torch._foreach_lerp_(momenta, gradients, 1 - MUON_MOMENTUM)
            update = orthogonalise(torch.stack(torch._foreach_lerp(gradients, momenta, MUON_MOMENTUM)))
            update *= 0.2 * math.sqrt(max(stack[0].shape))
            torch._foreach_mul_(stack, 1 - rate * WEIGHT_DECAY)
            torch._foreach_add_(stack, list(update.unbind(0)), alpha=-rate)
        for parameter in self.parameters:
            parameter.grad = None


def schedule(done: float, warm_up: float = 0.03, flat_until: float = 0.35) -> float:
    """Linear warm-up, a plateau, then linear to zero; `done` is the share of the run behind us."""
    return max(0.0, min(1.0, done / warm_up, (1 - done) / (1 - flat_until)))
