// A worker for the tests of the protocol.
import { register } from 'tsx/esm/api';
// A worker of Node 20 reads TypeScript only where it registers its own loader.
register();
const { NO_ANSWER, serve } = await import('../../../src/bert/runtime/index.ts');
const { BertQeError } = await import('../../../src/common/errors.ts');

await serve(async ({ refuse, released }) => {
  if (refuse === 'input') throw new BertQeError('input', 'not this model');
  if (refuse) throw new Error('out of luck');
  return {
    echo: async (value, ms = 0) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return value;
    },
    silent: async () => NO_ANSWER,
    fail: async (code) => {
      throw code ? new BertQeError(code, 'a coded error') : new TypeError('a plain error');
    },
    exit: async () => process.exit(3),
    release: async () => void Atomics.add(released, 0, 1),
  };
});
