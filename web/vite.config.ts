import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { policy } from './policy.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Makes the page of a server the page of a static site: `vite build web --mode site` (scripts/build-site.ts). */
const site = {
  // The questions to a server are answered in the page.
  resolve: {
    alias: [{ find: /^(?:\.|\.\.\/state)\/client\.js$/, replacement: file('src/local/client.ts') }],
  },
  plugins: [
    {
      name: 'site',
      transformIndexHtml: {
        order: 'pre' as const,
        handler: (html: string) =>
          html.replace(
            '</title>',
            `</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <link rel="manifest" href="./app.webmanifest" />
    <script type="module" src="./src/local/offline.ts"></script>`,
          ),
      },
    },
  ],
  input: { index: file('index.html'), docs: file('src/docs/search.ts') },
};

export default defineConfig(({ mode }) => ({
  // Relative, so that the page also works under a path of a proxy.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  ...(mode === 'site' ? { resolve: site.resolve, plugins: site.plugins } : {}),
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Everything is a file of its own: the server's policy allows no scripts inside the page.
    assetsInlineLimit: 0,
    modulePreload: false,
    ...(mode === 'site'
      ? { rolldownOptions: { input: site.input, output: { entryFileNames: 'assets/[name].js' } } }
      : {}),
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
}));
