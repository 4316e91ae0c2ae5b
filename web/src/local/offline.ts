import { site } from './library.js';

/** Lets the site start without a network from the second visit on; what it keeps is listed in sw.js. */
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register(new URL('sw.js', site)).catch((error: unknown) => {
    // The page works without it, with a network.
    console.warn(`This site cannot be kept for offline use: ${String(error)}`);
  });
}
