export { encoderFlops, weightFlops, type SequenceCount } from './encoder-flops.js';
export { paperCost, type PaperCost, type PaperCounts, type PhaseFlops } from './paper-style.js';
export { publishedFlops } from './published.js';
export { encoderSizes, sizeNames, type EncoderShape } from './sizes.js';
export { parseVariant, type Variant } from './variant.js';
export { countOf, sequenceCount, TokenMeter, type Meter } from './token-meter.js';
