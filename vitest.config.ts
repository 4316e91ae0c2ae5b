import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Suites that need more than Node and the packages of `npm ci`, each a folder under tests/ and a script of its own
 * (`npm run test:browser`): real frameworks, a browser, the original implementations, search engines.
 */
const apart = ['frameworks', 'browser', 'parity', 'engines'];

const shared = {
  // Generous: two cores may be shared with other work, and a hang is a hang after ten minutes, too.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  setupFiles: [fileURLToPath(new URL('tests/support/seed.ts', import.meta.url))],
  // Native addons (onnxruntime, lmdb) want processes of their own.
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'project',
          include: ['tests/**/*.test.ts'],
          exclude: [...apart.map((folder) => `tests/${folder}/**`), '**/node_modules/**'],
        },
      },
      ...apart.map((folder) => ({
        test: {
          ...shared,
          // Browsers and servers on a busy machine: once more, before it counts as a failure.
          retry: 1,
          name: folder,
          include: [`tests/${folder}/**/*.test.ts`],
          exclude: ['**/node_modules/**'],
        },
      })),
    ],
  },
});
