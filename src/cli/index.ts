export { renderExplanation, type RenderOptions } from './explanation-text.js';
export { main } from './main.js';
