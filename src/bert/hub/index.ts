export { fetchModel } from './fetch-model.js';
export type { FetchProgress, FetchModelOptions } from './settings.js';
