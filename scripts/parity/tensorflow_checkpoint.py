"""Writes the tensors of a safetensors file as a TensorFlow checkpoint with the names and layout of Google's BERT.

    python scripts/parity/tensorflow_checkpoint.py model.safetensors bert_model.ckpt
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures/bert"))

from safetensors.numpy import load_file
from tensorflow_bundle import save_bundle, tensorflow_name

arrays = {}
for name, array in load_file(sys.argv[1]).items():
    key = tensorflow_name(name.removeprefix("bert."))
    arrays[key] = array.T.copy() if key.endswith("/kernel") else array
save_bundle(sys.argv[2], arrays)
