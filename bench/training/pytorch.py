"""pytorch.py SIZE LENGTH DROPOUT THREADS STEPS: the same steps in PyTorch; one line of JSON.

The model is Hugging Face's, the optimiser BERT's (Adam with decoupled weight decay, no bias correction, global-norm clip)
written with torch's fused foreach operations, as its own AdamW is.
"""

import json
import resource
import sys
import time

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification

SIZES = {"T": (2, 128, 2), "S": (4, 256, 4), "M": (8, 512, 8)}
BATCH, VOCABULARY = 32, 30522


class BertAdam:
    def __init__(self, model):
        named = list(model.named_parameters())
        self.groups = []
        for decay in (0.01, 0.0):
            ps = [p for n, p in named if ("bias" in n or "LayerNorm" in n) == (decay == 0.0)]
            self.groups.append((decay, ps, [torch.zeros_like(p) for p in ps], [torch.zeros_like(p) for p in ps]))
        self.all = [p for _, p in named]

    @torch.no_grad()
    def step(self, rate):
        torch.nn.utils.clip_grad_norm_(self.all, 1.0, foreach=True)
        for decay, ps, m, v in self.groups:
            gs = [p.grad for p in ps]
            torch._foreach_mul_(m, 0.9)
            torch._foreach_add_(m, gs, alpha=0.1)
            torch._foreach_mul_(v, 0.999)
            torch._foreach_addcmul_(v, gs, gs, value=0.001)
            root = torch._foreach_sqrt(v)
            torch._foreach_add_(root, 1e-6)
            if decay:
                torch._foreach_mul_(ps, 1 - rate * decay)
            torch._foreach_addcdiv_(ps, m, root, value=-rate)


def main():
    size, length, dropout, threads, steps = sys.argv[1], *map(float, sys.argv[2:6])
    length, steps = int(length), int(steps)
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    layers, hidden, heads = SIZES[size]
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    model = BertForSequenceClassification(config).train()
    adam = BertAdam(model)
    random = np.random.default_rng(1)
    times = []
    for step in range(steps + 2):
        ids = torch.tensor((VOCABULARY ** random.random((BATCH, length))).astype(np.int64) % VOCABULARY)
        types = (torch.arange(length) >= 12).long().expand(BATCH, length)
        labels = torch.tensor(random.integers(0, 2, BATCH))
        started = time.perf_counter()
        for p in adam.all:
            p.grad = None
        logits = model(input_ids=ids, token_type_ids=types).logits
        torch.nn.functional.cross_entropy(logits, labels).backward()
        adam.step(1e-5)
        if step >= 2:
            times.append((time.perf_counter() - started) * 1000)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"milliseconds": sorted(times)[len(times) // 2], "memory": memory, "torch": torch.__version__}))


main()
