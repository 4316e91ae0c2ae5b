"""python quantise.py FOLDER MODEL: the 8-bit forms of peers, onnxruntime's and Transformers.js's dynamic one and NNCF's."""
import json
import sys

import nncf
import numpy as np
import openvino
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

folder, model = sys.argv[1:]
path = f"{folder}/{model}"
quantize_dynamic(f"{path}/onnx/model.onnx", f"{path}/onnx/model_quantized.onnx", weight_type=QuantType.QInt8)

tokenizer = Tokenizer.from_file(f"{path}/tokenizer.json")
tokenizer.enable_truncation(384)


def inputs(pair):
    row = tokenizer.encode(pair["a"], pair["b"])
    arrays = (row.ids, row.attention_mask, row.type_ids)
    return dict(zip(("input_ids", "attention_mask", "token_type_ids"), (np.array([array]) for array in arrays)))


with open(f"{folder}/calibration.json", encoding="utf-8") as file:
    dataset = nncf.Dataset(json.load(file), inputs)
network = openvino.Core().read_model(f"{path}/onnx/model.onnx")
quantised = nncf.quantize(network, dataset, model_type=nncf.ModelType.TRANSFORMER)
openvino.save_model(quantised, f"{path}/int8/model.xml", compress_to_fp16=False)
