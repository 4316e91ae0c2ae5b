"""Writes one BERT of random weights in every checkpoint format, and the logits Hugging Face transformers gives it.

    python scripts/parity/bert_checkpoints.py SIZE MODEL_FOLDER PAIRS.json TARGET

SIZE is one of T, S, M, B, L; tokenizer and vocabulary are those of MODEL_FOLDER; PAIRS.json is a list of
{"a", "b"}. TARGET gets a folder per format (safetensors, safetensors-sharded, pytorch, pytorch-sharded,
tensorflow) and logits.json. Weights follow from their names (scripts/fixtures/bert/logits.py) and are not stored
anywhere. Needs numpy, torch, transformers, safetensors and tensorflow; tests/parity runs it.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures/bert"))

import safetensors.torch
import torch
from logits import MODELS, values
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

FORMATS = ["safetensors", "safetensors-sharded", "pytorch", "pytorch-sharded", "tensorflow"]


def build(size, vocabulary):
    layers, hidden, heads, intermediate, labels, activation = MODELS[size]
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=intermediate,
        hidden_act=activation,
        num_labels=labels,
    )
    model = BertForSequenceClassification(config).eval()
    state = model.state_dict()
    for name, tensor in state.items():
        if tensor.is_floating_point():
            state[name].copy_(values(name.removeprefix("bert."), tuple(tensor.shape)))
    return config, model


def save_sharded(state, folder, stem, extension, save):
    """Three shards and an index, as transformers lays large models out."""
    names = list(state)
    weight_map = {}
    for number in range(3):
        part = names[number::3]
        file = f"{stem}-{number + 1:05d}-of-00003.{extension}"
        save({name: state[name] for name in part}, folder / file)
        weight_map.update({name: file for name in part})
    index = {"metadata": {"total_size": sum(4 * t.numel() for t in state.values())}, "weight_map": weight_map}
    (folder / f"{stem}.{extension}.index.json").write_text(json.dumps(index))


def save(form, state, folder):
    if form == "safetensors":
        safetensors.torch.save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    elif form == "safetensors-sharded":
        save_sharded(state, folder, "model", "safetensors", safetensors.torch.save_file)
    elif form == "pytorch":
        torch.save(state, folder / "pytorch_model.bin")
    elif form == "pytorch-sharded":
        save_sharded(state, folder, "pytorch_model", "bin", torch.save)
    else:
        # In a process of its own: PyTorch and TensorFlow each bring an LLVM, and two in one process abort it.
        script = Path(__file__).with_name("tensorflow_checkpoint.py")
        weights = folder.parent / "safetensors/model.safetensors"
        subprocess.run([sys.executable, script, weights, folder / "bert_model.ckpt"], check=True)


@torch.inference_mode()
def main(size, source, pairs, target):
    source, target = Path(source), Path(target)
    tokenizer = AutoTokenizer.from_pretrained(source)
    config, model = build(size, len(tokenizer))
    rows = []
    for pair in json.loads(Path(pairs).read_text()):
        inputs = tokenizer(pair["a"], pair["b"], return_tensors="pt")
        rows.append([float(x) for x in model(**inputs).logits[0]])
    (target / "logits.json").write_text(json.dumps(rows))
    state = {name: t.contiguous() for name, t in model.state_dict().items() if t.is_floating_point()}
    for form in FORMATS:
        folder = target / form
        folder.mkdir()
        config.save_pretrained(folder)
        for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(source / name, folder / name)
        save(form, state, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
