import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Suites that need more than Node and the packages of `npm ci`, each a folder under tests/ and a script of its own
 * (`npm run test:browser`): the installed package, real frameworks, a browser, the original implementations, search
 * engines. And one that takes minutes: the server beside hostile requests.
 */
const separate = ['package', 'frameworks', 'browser', 'parity', 'engines', 'hostile'];

/** Tests that take minutes: `npm run test:slow`. */
const slow = 'tests/**/*.slow.test.ts';

const shared = {
  // Generous, since two cores may be shared with other work.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  setupFiles: [fileURLToPath(new URL('tests/support/seed.ts', import.meta.url))],
  // Some tests open sessions of onnxruntime themselves.
  env: { ORT_DISABLE_TELEMETRY: '1' },
  // The native addon, onnxruntime, needs processes of its own.
  pool: 'forks' as const,
};

const separateFolders = separate.map((folder) => `tests/${folder}/**`);

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'project',
          include: ['tests/**/*.test.ts'],
          exclude: [slow, ...separateFolders, '**/node_modules/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'slow',
          include: [slow],
          exclude: [...separateFolders, '**/node_modules/**'],
        },
      },
      ...separate.map((folder) => ({
        test: {
          ...shared,
          // Browsers and servers may be late on a busy machine: each test gets a second try.
          retry: 1,
          name: folder,
          include: [`tests/${folder}/**/*.test.ts`],
          exclude: ['**/node_modules/**'],
        },
      })),
    ],
  },
});
