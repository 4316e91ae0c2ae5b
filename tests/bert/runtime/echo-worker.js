// A worker for the tests of the protocol.
import { NO_ANSWER, serve } from '../../../dist/bert/runtime/index.js';
import { BertQeError } from '../../../dist/common/errors.js';

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
