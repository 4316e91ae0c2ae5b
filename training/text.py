"""Word pieces, detokenisation and word windows."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

PAD, UNK, CLS, SEP, MASK = range(5)
VOCABULARY_SIZE = 16_384


class WordPieces:
    """The project's uncased vocabulary, read from a model folder."""

    def __init__(self, model_folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
        self.pieces = (model_folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        if len(self.pieces) != VOCABULARY_SIZE:
            raise ValueError(
                f"{model_folder}/vocab.txt has {len(self.pieces)} pieces, expected {VOCABULARY_SIZE}"
            )

    def encode(self, texts: list[str]) -> list[list[int]]:
        """Piece ids of each text, without special tokens."""
        return [e.ids for e in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    def decode(self, ids: list[int]) -> str:
        """Lower-cased text with punctuation set apart, which another uncased tokenizer reads alike."""
        return " ".join([self.pieces[i] for i in ids]).replace(" ##", "")

    def continuation_flags(self) -> list[bool]:
        """True for pieces that continue a word (they start with ##)."""
        return [piece.startswith("##") for piece in self.pieces]


def windows(words: list[str], length: int, overlap: int) -> list[list[str]]:
    """Overlapping word windows as BERT-QE cuts them.

    A window whose rest is shorter than the overlap takes that rest and is the last one, so no
    window is a suffix of another.
    """
    out = []
    start = 0
    while True:
        end = start + length
        if len(words) - end < overlap:
            out.append(words[start:])
            return out
        out.append(words[start:end])
        start += length - overlap
