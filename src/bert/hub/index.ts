export { fetchModel } from './fetch-model.js';
export type { DownloadProgress, FetchModelOptions } from './settings.js';
