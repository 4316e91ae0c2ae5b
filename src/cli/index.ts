export { renderExplanation, type RenderOptions } from './explanation-text.js';
