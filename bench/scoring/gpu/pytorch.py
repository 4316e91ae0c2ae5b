"""Pairs per second of PyTorch on the same card: Hugging Face's BERT, sequences of 160 tokens, by precision and batch.

    python3 bench/scoring/gpu/pytorch.py TSBL
"""

import json
import sys
import time

import torch
from transformers import BertConfig, BertForSequenceClassification

SIZES = {"T": (2, 128, 2), "S": (4, 256, 4), "M": (8, 512, 8), "B": (12, 768, 12), "L": (24, 1024, 16)}
LENGTH = 160
PRECISIONS = {
    "fp32": (torch.float32, False),
    "tf32": (torch.float32, True),
    "fp16": (torch.float16, False),
    "bf16": (torch.bfloat16, False),
}


def flops(layers, hidden, length):
    """All tokens through all layers: PyTorch does not know that the last one is needed for [CLS] alone."""
    return layers * (length * 24 * hidden**2 + 4 * length**2 * hidden) + 2 * hidden**2


def median_seconds(run):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    times = []
    while len(times) < 5 or sum(times) < 0.3:
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


@torch.inference_mode()
def main():
    for size in sys.argv[1]:
        layers, hidden, heads = SIZES[size]
        config = BertConfig(
            hidden_size=hidden,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * hidden,
            num_labels=2,
        )
        for precision, (dtype, tf32) in PRECISIONS.items():
            torch.backends.cuda.matmul.allow_tf32 = tf32
            model = BertForSequenceClassification(config).eval().to("cuda", dtype)
            for tokens in (4096, 16384, 65536, 262144):
                rows = tokens // LENGTH
                ids = torch.randint(0, 30522, (rows, LENGTH), device="cuda")
                types = torch.zeros_like(ids)
                seconds = median_seconds(lambda: model(input_ids=ids, token_type_ids=types).logits.float().cpu())
                print(
                    json.dumps(
                        {
                            "kind": "pytorch",
                            "size": size,
                            "precision": precision,
                            "tokens": tokens,
                            "length": LENGTH,
                            "pairsPerSecond": rows / seconds,
                            "teraflops": rows * flops(layers, hidden, LENGTH) / seconds / 1e12,
                        }
                    ),
                    flush=True,
                )
            del model


main()
