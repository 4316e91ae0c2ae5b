"""BERT in plain PyTorch, with Hugging Face parameter names so that checkpoints load and export as they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from .text import VOCABULARY_SIZE

LAYER_NORM_EPS = 1e-12
MAX_POSITIONS = 512


@dataclass(frozen=True)
class Size:
    """Layers, hidden width and attention heads; the feed-forward layer is four times the hidden width."""

    layers: int
    hidden: int
    heads: int
    vocabulary: int = VOCABULARY_SIZE


SIZES = {"T": Size(2, 128, 2), "S": Size(4, 256, 4)}
FOLDERS = {"T": "tiny", "S": "small"}


def linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear layer with BERT's initialisation."""
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=0.02)
    nn.init.zeros_(layer.bias)
    return layer


def embedding(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.02)
    return table


class DenseNorm(nn.Module):
    """A projection back to the residual stream, added and normalised."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.dense = linear(inputs, hidden)
        self.LayerNorm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(x) + residual)


class Projections(nn.Module):
    """Query, key and value."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (
            linear(hidden, hidden),
            linear(hidden, hidden),
            linear(hidden, hidden),
        )

    def forward(self, x: Tensor) -> Tensor:
        """All three in one product, which is faster for small models."""
        weight = torch.cat([self.query.weight, self.key.weight, self.value.weight])
        bias = torch.cat([self.query.bias, self.key.bias, self.value.bias])
        return F.linear(x, weight, bias)


class Attention(nn.Module):
    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.self = Projections(hidden)
        self.output = DenseNorm(hidden, hidden)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        batch, length, hidden = x.shape
        qkv = self.self(x).view(batch, length, 3, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=bias)
        return self.output(context.transpose(1, 2).reshape(batch, length, hidden), x)


class Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.dense = linear(inputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(x)


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.attention = Attention(size.hidden, size.heads)
        self.intermediate = Dense(size.hidden, 4 * size.hidden)
        self.output = DenseNorm(4 * size.hidden, size.hidden)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        x = self.attention(x, bias)
        return self.output(F.gelu(self.intermediate(x)), x)


class Embeddings(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.word_embeddings = embedding(size.vocabulary, size.hidden)
        self.position_embeddings = embedding(MAX_POSITIONS, size.hidden)
        self.token_type_embeddings = embedding(2, size.hidden)
        self.LayerNorm = nn.LayerNorm(size.hidden, eps=LAYER_NORM_EPS)

    def forward(self, ids: Tensor, segments: Tensor, first_position: int = 0) -> Tensor:
        positions = self.position_embeddings.weight[first_position : first_position + ids.shape[1]]
        return self.LayerNorm(self.word_embeddings(ids) + positions + self.token_type_embeddings(segments))


class Layers(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(size) for _ in range(size.layers))


def attention_bias(mask: Tensor) -> Tensor:
    """[batch, 1, 1, length], in the type that attention runs in."""
    device = mask.device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, -1e4)[:, None, None, :]


class Encoder(nn.Module):
    """Embeddings, layers and pooler."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.embeddings = Embeddings(size)
        self.encoder = Layers(size)
        self.pooler = Dense(size.hidden, size.hidden)
        self.run_layer: Callable[[Layer, Tensor, Tensor | None], Tensor] = Layer.forward

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor | None, first_position: int = 0) -> Tensor:
        """Hidden states; `mask` is true where a token may be attended to, [batch, length]."""
        x = self.embeddings(ids, segments, first_position)
        bias = None if mask is None else attention_bias(mask)
        for layer in self.encoder.layer:
            x = self.run_layer(layer, x, bias)
        return x

    def compile_layers(self, backend: str = "inductor") -> None:
        """Compiles the layer, whose code all layers share, once per shape."""
        self.run_layer = torch.compile(Layer.forward, dynamic=False, backend=backend)


class CrossEncoder(nn.Module):
    """Two-label classifier on the pooled first token; the score is the difference of its two logits."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.bert = Encoder(size)
        self.classifier = linear(size.hidden, 2)

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Log-odds of relevance; σ of it equals softmax(logits)[1]."""
        first = self.bert(ids, segments, mask)[:, 0].float()
        with torch.autocast(ids.device.type, enabled=False):
            logits = self.classifier(torch.tanh(self.bert.pooler(first)))
        return logits[:, 1] - logits[:, 0]


class Transform(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.dense = linear(size.hidden, size.hidden)
        self.LayerNorm = nn.LayerNorm(size.hidden, eps=LAYER_NORM_EPS)

    def forward(self, x: Tensor) -> Tensor:
        return self.LayerNorm(F.gelu(self.dense(x)))


class Predictions(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.transform = Transform(size)
        self.bias = nn.Parameter(torch.zeros(size.vocabulary))


class MaskedLanguageHead(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.predictions = Predictions(size)


class MaskedLanguageModel(nn.Module):
    """Predicts masked pieces, with the word embeddings as output weights."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.bert = Encoder(size)
        self.cls = MaskedLanguageHead(size)

    def forward(self, ids: Tensor, segments: Tensor, positions: Tensor, first_position: int = 0) -> Tensor:
        """Logits over the vocabulary at `positions` [batch, count], flattened."""
        x = self.bert(ids, segments, None, first_position)
        x = torch.gather(x, 1, positions[:, :, None].expand(-1, -1, x.shape[2])).flatten(0, 1)
        x = self.cls.predictions.transform(x)
        return F.linear(x, self.bert.embeddings.word_embeddings.weight, self.cls.predictions.bias)


def load_weights(model: nn.Module, folder: Path) -> list[str]:
    """Fills a model from `model.safetensors`. Returns the parameters that the checkpoint lacks."""
    weights = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    names = dict(model.named_parameters())
    model.load_state_dict({n: t for n, t in weights.items() if n in names}, strict=False)
    return sorted(set(names) - set(weights))


def scale_scores(model: CrossEncoder, scale: float, shift: float) -> None:
    """Folds a calibration z → scale·z + shift into the classifier."""
    with torch.no_grad():
        model.classifier.weight *= scale
        model.classifier.bias *= scale
        model.classifier.bias[1] += shift / 2
        model.classifier.bias[0] -= shift / 2


def export(model: CrossEncoder | MaskedLanguageModel, letter: str, folder: Path, vocabulary: Path) -> None:
    """Writes a Hugging Face model folder: float16 weights, config and tokenizer files."""
    folder.mkdir(parents=True, exist_ok=True)
    ranking = isinstance(model, CrossEncoder)
    weights = {n: p.detach().half().cpu().contiguous() for n, p in model.named_parameters()}
    if not all(torch.isfinite(w).all() for w in weights.values()):
        raise ValueError("a weight does not fit float16")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    size = SIZES[letter]
    config: dict[str, object] = {
        "architectures": ["BertForSequenceClassification" if ranking else "BertForMaskedLM"],
        "model_type": "bert",
        "vocab_size": size.vocabulary,
        "hidden_size": size.hidden,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "intermediate_size": 4 * size.hidden,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": MAX_POSITIONS,
        "type_vocab_size": 2,
        "initializer_range": 0.02,
        "layer_norm_eps": LAYER_NORM_EPS,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "torch_dtype": "float16",
    }
    if ranking:
        labels = ["not_relevant", "relevant"]
        config |= {
            "num_labels": 2,
            "id2label": {str(i): label for i, label in enumerate(labels)},
            "label2id": {label: i for i, label in enumerate(labels)},
        }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    if folder.resolve() != vocabulary.resolve():
        for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(vocabulary / name, folder / name)
