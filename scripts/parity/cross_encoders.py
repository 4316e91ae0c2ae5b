"""Writes cross-encoders of random weights in the layout of public repositories, and the logits of Hugging Face transformers.

    python scripts/parity/cross_encoders.py ARCHITECTURE PAIRS.json TARGET

ARCHITECTURE is a key of BUILDERS; PAIRS.json is a list of {"a", "b"}, on whose texts the tokenizer is trained. TARGET
gets config.json, tokenizer.json, model.safetensors, onnx/model.onnx and expected.json: per pair its token ids and
logits. Needs torch, transformers, tokenizers, sentencepiece and onnx; tests/parity runs it.
"""

import json
import sys
from pathlib import Path

import sentencepiece
import torch
import transformers as hf
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

VOCABULARY = 1200
SHAPE = dict(hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128, num_labels=1)
EAGER = dict(attn_implementation="eager")


def fast(tokenizer, cls, sep, **names):
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, cls_token=cls, sep_token=sep, **names)


def word_piece(texts, _target):
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=specials))
    return hf.BertTokenizer(vocab=tokenizer.get_vocab())


def byte_pairs(texts, specials):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=specials, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def roberta_tokens(texts, _target):
    tokenizer = byte_pairs(texts, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    inputs = ["input_ids", "attention_mask"]
    return fast(tokenizer, "<s>", "</s>", pad_token="<pad>", unk_token="<unk>", model_input_names=inputs)


def modern_tokens(texts, _target):
    tokenizer = byte_pairs(texts, ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"])
    tokenizer.normalizer = normalizers.NFC()
    ids = [("[CLS]", 0), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", ids)
    inputs = ["input_ids", "attention_mask"]
    return fast(tokenizer, "[CLS]", "[SEP]", pad_token="[PAD]", unk_token="[UNK]", model_input_names=inputs)


def unigram(texts, target, arrange, unknown, first_normalizers=()):
    """A SentencePiece model with its own normalisation table, as tokenizer.json holds it."""
    (target / "texts").write_text("\n".join(text.replace("\n", " ") for text in texts))
    prefix = target / "sentencepiece"
    sentencepiece.SentencePieceTrainer.train(
        input=str(target / "texts"), model_prefix=str(prefix), vocab_size=VOCABULARY, model_type="unigram",
        character_coverage=0.9995, hard_vocab_limit=False, bos_id=-1, eos_id=-1, pad_id=-1, unk_id=0,
        minloglevel=2,
    )
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(prefix.with_suffix(".model").read_bytes())
    pieces = [(piece.piece, piece.score) for piece in model.pieces][1:]
    tokenizer = Tokenizer(models.Unigram(arrange(pieces), unk_id=unknown, byte_fallback=False))
    table = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([*first_normalizers, table, spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    for file in target.iterdir():
        file.unlink()
    return tokenizer


def named(*names):
    return [(name, 0.0) for name in names]


def xlm_tokens(texts, target):
    def arrange(pieces):
        return [*named("<s>", "<pad>", "</s>", "<unk>"), *pieces, *named("<mask>")]

    tokenizer = unigram(texts, target, arrange, 3)
    pair = "<s> $A </s> </s> $B </s>"
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", pair, [("<s>", 0), ("</s>", 2)])
    inputs = ["input_ids", "attention_mask"]
    return fast(tokenizer, "<s>", "</s>", pad_token="<pad>", unk_token="<unk>", model_input_names=inputs)


def deberta_tokens(texts, target):
    def arrange(pieces):
        return [*named("[PAD]", "[CLS]", "[SEP]", "[UNK]"), *pieces, *named("[MASK]")]

    tokenizer = unigram(texts, target, arrange, 3, [normalizers.Strip()])
    single, pair = "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing(single, pair, [("[CLS]", 1), ("[SEP]", 2)])
    return fast(tokenizer, "[CLS]", "[SEP]", pad_token="[PAD]", unk_token="[UNK]")


def roberta_like(config, model):
    shape = dict(SHAPE, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1)
    return lambda size: model(config(vocab_size=size, **shape, **EAGER))


def bert(size):
    return hf.BertForSequenceClassification(hf.BertConfig(vocab_size=size, **SHAPE, **EAGER))


def electra(size):
    return hf.ElectraForSequenceClassification(hf.ElectraConfig(vocab_size=size, embedding_size=32, **SHAPE, **EAGER))


def modern_bert(size):
    ids = dict(pad_token_id=1, cls_token_id=0, sep_token_id=2, bos_token_id=0, eos_token_id=2)
    shape = dict(SHAPE, local_attention=32, classifier_pooling="mean")
    return hf.ModernBertForSequenceClassification(hf.ModernBertConfig(vocab_size=size, **shape, **ids, **EAGER))


def deberta(size):
    # As microsoft/deberta-v3 has it.
    own = dict(
        type_vocab_size=0, relative_attention=True, position_buckets=32, norm_rel_ebd="layer_norm",
        share_att_key=True, pos_att_type=["p2c", "c2p"], position_biased_input=False, pooler_dropout=0,
        pooler_hidden_act="gelu", pooler_hidden_size=64,
    )
    return hf.DebertaV2ForSequenceClassification(hf.DebertaV2Config(vocab_size=size, **SHAPE, **own))


BUILDERS = {
    "bert": (word_piece, bert),
    "electra": (word_piece, electra),
    "roberta": (roberta_tokens, roberta_like(hf.RobertaConfig, hf.RobertaForSequenceClassification)),
    "xlm-roberta": (xlm_tokens, roberta_like(hf.XLMRobertaConfig, hf.XLMRobertaForSequenceClassification)),
    "modernbert": (modern_tokens, modern_bert),
    "deberta-v2": (deberta_tokens, deberta),
}


class Logits(torch.nn.Module):
    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *values):
        return self.model(**dict(zip(self.names, values))).logits


def export(model, encoding, path):
    """As the exports of public repositories: named inputs, batch and sequence of any size."""
    names = list(encoding)
    sizes = {name: {0: "batch_size", 1: "sequence_length"} for name in names}
    torch.onnx.export(
        Logits(model, names), tuple(encoding[name] for name in names), str(path), input_names=names,
        output_names=["logits"], dynamic_axes={**sizes, "logits": {0: "batch_size"}}, opset_version=17, dynamo=False,
    )


@torch.inference_mode()
def main(architecture, pairs, target):
    target = Path(target)
    pairs = json.loads(Path(pairs).read_text())
    tokens, build = BUILDERS[architecture]
    tokenizer = tokens([pair[side] for pair in pairs for side in "ab"], target)
    model = build(len(tokenizer)).eval()
    generator = torch.Generator().manual_seed(19)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.copy_(noise * 0.08) if parameter.dim() > 1 else parameter.add_(noise * 0.02)
    tokenizer.save_pretrained(target)
    model.save_pretrained(target)
    expected = []
    for pair in pairs:
        encoding = tokenizer(pair["a"], pair["b"], return_tensors="pt")
        logits = model(**encoding).logits[0].tolist()
        expected.append({"ids": encoding["input_ids"][0].tolist(), "logits": logits})
    (target / "expected.json").write_text(json.dumps(expected))
    (target / "onnx").mkdir()
    export(model, tokenizer(["a b"] * 2, ["c d"] * 2, return_tensors="pt"), target / "onnx/model.onnx")


if __name__ == "__main__":
    main(*sys.argv[1:])
