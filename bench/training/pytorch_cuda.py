"""pytorch_cuda.py SIZES LENGTHS SECONDS: examples/s of fine-tuning in PyTorch on a card, a line of JSON per setting.

Hugging Face's model with SDPA, dropout .1, 32 pairs a step padded to the longest of them, gradients clipped to norm 1 and
AdamW: master weights in fp32, products in bf16 or fp16 (autocast), or in fp32 with TF32. LENGTHS is 384 or 80-384.
"""

import json
import sys
import time

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification

SIZES = {"T": (2, 128, 2), "S": (4, 256, 4), "B": (12, 768, 12), "L": (24, 1024, 16)}
BATCH, VOCABULARY = 32, 30522
WAYS = {"bf16": torch.bfloat16, "fp16": torch.float16, "tf32": None}


def batch(random, least, most):
    lengths = torch.tensor(random.integers(least, most + 1, BATCH))
    longest = int(lengths.max())
    mask = (torch.arange(longest)[None, :] < lengths[:, None]).long()
    ids = torch.tensor((VOCABULARY ** random.random((BATCH, longest))).astype(np.int64) % VOCABULARY) * mask
    types = (torch.arange(longest) >= 12).long().expand(BATCH, longest) * mask
    labels = torch.tensor(random.integers(0, 2, BATCH))
    # Without padding there is no mask, and so the fastest attention.
    masks = {} if least == most else {"attention_mask": mask.cuda()}
    return {"input_ids": ids.cuda(), "token_type_ids": types.cuda(), **masks}, labels.cuda()


def measure(size, length, way, seconds):
    least, most = (int(each) for each in (length.split("-") * 2)[:2])
    layers, hidden, heads = SIZES[size]
    config = BertConfig(
        hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=4 * hidden
    )
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    model = BertForSequenceClassification(config).train().cuda()
    adam = torch.optim.AdamW(model.parameters(), lr=1e-6, weight_decay=0.01, eps=1e-6, fused=True)
    dtype = WAYS[way]
    scaler = torch.amp.GradScaler("cuda", enabled=way == "fp16")
    random = np.random.default_rng(1)
    batches = [batch(random, least, most) for _ in range(8)]

    def step(i):
        inputs, labels = batches[i % len(batches)]
        with torch.autocast("cuda", dtype=dtype or torch.bfloat16, enabled=dtype is not None):
            logits = model(**inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(adam)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(adam)
        scaler.update()
        adam.zero_grad(set_to_none=True)

    for i in range(8):
        step(i)
    torch.cuda.synchronize()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for i in range(8):
            step(i)
        torch.cuda.synchronize()
        count += 8
    spent = (time.perf_counter() - start) / count
    row = {
        "kind": "pytorch training",
        "size": size,
        "length": length,
        "precision": way,
        "attention": model.config._attn_implementation,
        "milliseconds": 1000 * spent,
        "examplesPerSecond": BATCH / spent,
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9,
    }
    print(json.dumps(row), flush=True)


for size in sys.argv[1]:
    for length in sys.argv[2].split(","):
        for way in WAYS:
            try:
                measure(size, length, way, float(sys.argv[3]))
            except Exception as error:
                print(json.dumps({"size": size, "length": length, "precision": way, "error": str(error)[:300]}), flush=True)
            torch.cuda.empty_cache()
