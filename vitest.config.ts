import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: ['tests/engines/**', 'tests/parity/**', '**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Native addons (onnxruntime, lmdb) want processes of their own.
    pool: 'forks',
    maxWorkers: 2,
  },
});
