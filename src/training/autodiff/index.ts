export { gradients } from './gradients.js';
export { rules } from './rules.js';
