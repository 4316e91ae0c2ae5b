import { site } from './library.js';

const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;

/** Lets the site start without a network from the second visit on; what it keeps is listed in sw.js. */
workers?.register(new URL('sw.js', site)).catch((error: unknown) => {
  // The page works without it, with a network.
  console.warn(`This site cannot be kept for offline use: ${String(error)}`);
});

/** Has the service worker keep a large file, which the page may have used before there was a service worker. */
export function keepForOffline(path: string): void {
  void workers?.ready.then(({ active }) => active?.postMessage(new URL(path, site).href, []));
}
