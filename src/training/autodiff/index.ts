export { type Composite, gradients } from './gradients.js';
export { rules } from './rules.js';
