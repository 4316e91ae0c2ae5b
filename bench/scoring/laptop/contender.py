"""python contender.py FOLDER MODEL SYSTEM PRECISION: a peer in Python as a contender of run.ts.

The protocol is that of contend.mjs. Each system is used as its documentation has it; pairs are sorted by length into
batches of 16, except in sentence-transformers, which does so itself.
"""
import json
import sys
import time

folder, model, system, precision = sys.argv[1:]
path = f"{folder}/{model}"
BATCH = 16


def batches(run):
    """Margins from a function that takes arrays of ids, mask and types."""
    import numpy as np
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(f"{path}/tokenizer.json")
    tokenizer.enable_truncation(384)
    tokenizer.enable_padding()

    def score(pairs):
        order = sorted(range(len(pairs)), key=lambda i: len(pairs[i]["b"]))
        margins = [0.0] * len(pairs)
        inputs = []
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            rows = tokenizer.encode_batch([(pairs[i]["a"], pairs[i]["b"]) for i in places])
            arrays = [np.array([getattr(row, name) for row in rows]) for name in ("ids", "attention_mask", "type_ids")]
            inputs.append((places, arrays))
        for places, logits in run(inputs):
            for place, (other, relevant) in zip(places, logits):
                margins[place] = float(relevant - other)
        return margins

    return score


def onnxruntime_scorer():
    import onnxruntime

    name = "model_quantized.onnx" if precision == "int8" else "model.onnx"
    session = onnxruntime.InferenceSession(f"{path}/onnx/{name}", providers=["CPUExecutionProvider"])
    names = ["input_ids", "attention_mask", "token_type_ids"]

    def run(inputs):
        for places, arrays in inputs:
            yield places, session.run(None, dict(zip(names, arrays)))[0]

    return batches(run)


def openvino_scorer():
    import openvino

    core = openvino.Core()
    name = "int8/model.xml" if precision == "int8" else "onnx/model.onnx"
    network = core.read_model(f"{path}/{name}")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    options = {"INFERENCE_PRECISION_HINT": "f32"} if precision == "fp32" else {}
    compiled = {}

    def run(inputs):
        # One batch at a time is fastest when all cores work on it, many when each has its own.
        hint = "THROUGHPUT" if len(inputs) > 16 else "LATENCY"
        if hint not in compiled:
            compiled[hint] = core.compile_model(network, "CPU", {"PERFORMANCE_HINT": hint, **options})
        if hint == "LATENCY":
            for places, arrays in inputs:
                yield places, compiled[hint](dict(zip(names, arrays)))[0]
            return
        queue = openvino.AsyncInferQueue(compiled[hint])
        found = []
        queue.set_callback(lambda request, places: found.append((places, request.get_output_tensor().data.copy())))
        for places, arrays in inputs:
            queue.start_async(dict(zip(names, arrays)), places)
        queue.wait_all()
        yield from found

    return batches(run)


def sentence_transformers_scorer():
    import torch
    from sentence_transformers import CrossEncoder

    types = {"bf16": torch.bfloat16, "fp32": torch.float32}
    scorer = CrossEncoder(path, device="cpu", max_length=384, model_kwargs={"dtype": types[precision]})

    def score(pairs):
        logits = scorer.predict(
            [(pair["a"], pair["b"]) for pair in pairs],
            batch_size=BATCH,
            activation_fn=torch.nn.Identity(),
            show_progress_bar=False,
            convert_to_tensor=True,
        ).float()
        return (logits[:, 1] - logits[:, 0]).tolist()

    return score


with open(f"{folder}/pairs.json", encoding="utf-8") as file:
    pairs = json.load(file)
score = {
    "onnxruntime": onnxruntime_scorer,
    "openvino": openvino_scorer,
    "sentence-transformers": sentence_transformers_scorer,
}[system]()
score(pairs[:20])
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "scores":
        print(json.dumps(score(pairs)), flush=True)
        continue
    some = pairs[: int(line)]
    start = time.perf_counter()
    score(some)
    print((time.perf_counter() - start) * 1000, flush=True)
