// The service worker of the static site. The build puts in the files of this version, with a name made of their content.
const version = '%VERSION%';
const shell = ['%SHELL%'];

/** Files that are large, or that few visitors need, are kept when they are first asked for. */
const cacheName = `bert-qe-site-${version}`;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(shell))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith('bert-qe-site-') && name !== cacheName)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // Models are kept by the library itself, with their hashes.
  const isOurs = url.origin === location.origin && !url.pathname.includes('/models/');
  if (request.method === 'GET' && isOurs) event.respondWith(answer(request));
});

// A page names a file that it used before this worker was there.
self.addEventListener('message', (event) => event.waitUntil(answer(new Request(event.data))));

/** From this version's files, else from the network, of which the answer is kept. */
async function answer(request) {
  const cache = await caches.open(cacheName);
  // A search is in the address of the page, which is the same page.
  const isPage = request.mode === 'navigate';
  const kept = await cache.match(request, { ignoreSearch: isPage });
  if (kept) return kept;
  const fetched = await fetch(request);
  if (fetched.ok) await cache.put(request, fetched.clone()).catch(() => {});
  return fetched;
}
