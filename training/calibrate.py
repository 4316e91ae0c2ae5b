"""Folds a calibration of the log-odds into a trained model, and writes the model folder.

    python -m training.calibrate --size S --weights DIR --scale 0.5 --shift -2 --vocabulary models/tiny --out DIR

The order of pairs stays the same. Their probabilities change, and with them the combinations of BERT-QE.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .model import SIZES, CrossEncoder, export, load_weights, scale_scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--shift", type=float, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    model = CrossEncoder(SIZES[options.size])
    missing = load_weights(model, options.weights)
    if missing:
        raise ValueError(f"{options.weights} lacks {missing}")
    scale_scores(model, options.scale, options.shift)
    export(model, options.size, options.out, options.vocabulary)


if __name__ == "__main__":
    main()
