"""Pairs per second of PyTorch on sequences of given lengths: Hugging Face's BERT (SDPA), padded batches, ids on the card.

    python3 bench/scoring/gpu/pytorch_mixed.py TSBL LENGTHS.json

Batches are taken in the order given, as a plain loop does, or from all pairs sorted by length.
"""

import json
import sys
import time

import torch
from transformers import BertConfig, BertForSequenceClassification

SIZES = {"T": (2, 128, 2), "S": (4, 256, 4), "M": (8, 512, 8), "B": (12, 768, 12), "L": (24, 1024, 16)}
PRECISIONS = {"fp16": torch.float16, "bf16": torch.bfloat16}
BATCH_TOKENS = (32768, 131072, 262144)
FEWER = {"B": 10000, "L": 10000}


def batches(lengths, tokens):
    """Padded batches on the card: ids, types, mask."""
    result, at = [], 0
    mean = sum(lengths) / len(lengths)
    rows = max(1, int(tokens / mean))
    while at < len(lengths):
        part = torch.tensor(lengths[at : at + rows], device="cuda")
        mask = (torch.arange(int(part.max()), device="cuda")[None, :] < part[:, None]).long()
        ids = torch.randint(1, 30000, mask.shape, device="cuda") * mask
        result.append((ids, torch.zeros_like(ids), mask))
        at += rows
    return result


@torch.inference_mode()
def main():
    lengths = json.load(open(sys.argv[2]))
    for size in sys.argv[1]:
        layers, hidden, heads = SIZES[size]
        some = lengths[: FEWER.get(size, len(lengths))]
        config = BertConfig(
            hidden_size=hidden,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * hidden,
            num_labels=2,
        )
        for precision, dtype in PRECISIONS.items():
            model = BertForSequenceClassification(config).eval().to("cuda", dtype)
            for order in ("given", "sorted"):
                ordered = sorted(some, reverse=True) if order == "sorted" else some
                for tokens in BATCH_TOKENS[: 2 if size in FEWER else 3]:
                    work = batches(ordered, tokens)

                    def run():
                        for ids, types, mask in work:
                            out = model(input_ids=ids, token_type_ids=types, attention_mask=mask).logits
                            out.float().softmax(-1).cpu()

                    run()
                    torch.cuda.synchronize()
                    times = []
                    while not times or sum(times) < 0.5:
                        start = time.perf_counter()
                        run()
                        torch.cuda.synchronize()
                        times.append(time.perf_counter() - start)
                    seconds = sorted(times)[len(times) // 2]
                    row = {
                        "kind": "pytorch mixed",
                        "size": size,
                        "precision": precision,
                        "attention": model.config._attn_implementation,
                        "order": order,
                        "tokens": tokens,
                        "pairs": len(some),
                        "pairsPerSecond": round(len(some) / seconds),
                    }
                    print(json.dumps(row), flush=True)
            del model


main()
