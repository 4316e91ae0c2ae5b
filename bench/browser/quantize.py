# python3 bench/browser/quantize.py EXPORT.onnx QUANTIZED.onnx   (after pip install onnxruntime onnx)
# Transformers.js' q8 of a model: dynamic quantisation, with the settings of its own conversion script.
import sys

from onnxruntime.quantization import QuantType, quantize_dynamic

quantize_dynamic(sys.argv[1], sys.argv[2], weight_type=QuantType.QUInt8, per_channel=False, reduce_range=False)
