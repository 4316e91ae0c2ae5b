import { defineConfig } from 'vitest/config';

/** The opt-in suites that need minutes, gigabytes or programs beside this one. */
export default defineConfig({
  test: {
    include: ['tests/parity/**/*.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 3_600_000,
    pool: 'forks',
  },
});
