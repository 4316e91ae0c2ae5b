import { defineConfig } from 'vite';

export default defineConfig({
  // Relative, so that the page also works under a path of a proxy.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Everything is a file of its own: the server's policy allows no scripts inside the page.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: {
    // `npx vite web` beside `bert-qe serve --demo`: what is not of the page comes from the server.
    proxy: Object.fromEntries(
      [
        '/search',
        '/variants',
        '/info',
        '/queries',
        '/documents',
        '/experiments',
        '/docs',
        '/openapi.json',
      ].map((path) => [path, 'http://127.0.0.1:8080']),
    ),
  },
});
