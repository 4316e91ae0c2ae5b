// A scoring worker without a model. The first token of each batch says what to do: 1 answer, 2 die, 3 die unless
// another worker did before, 4 report a failure, 5 answer after a while, 6 the same and then die without answering,
// 7 answer after a while with the number of its card.
import { register } from 'tsx/esm/api';
// A worker of Node 20 reads TypeScript only where it registers its own loader.
register();
const { NO_ANSWER, serve } = await import('../../../src/bert/runtime/index.ts');
const { finish, takeBatch } = await import('../../../src/bert/scorer/shared-task.ts');
const { BertQeError } = await import('../../../src/common/errors.ts');

await serve(async ({ card, model: { deaths, refuse } }) => {
  if (refuse) throw new BertQeError('input', refuse);
  const die = () => {
    Atomics.add(deaths, 0, 1);
    process.nextTick(() => {
      throw new Error('this worker was told to die');
    });
    return new Promise(() => {});
  };
  return {
    async run(task, shared, worker) {
      for (let batch = takeBatch(shared); batch < task.ids.length; batch = takeBatch(shared)) {
        const order = task.ids[batch];
        if (order === 2 || (order === 3 && Atomics.load(deaths, 0) === 0)) return die();
        if (order === 4) {
          finish(shared, worker);
          throw new Error('out of luck');
        }
        if (order >= 5) await new Promise((resolve) => setTimeout(resolve, 30));
        shared.logits[batch] = order === 7 ? card : task.splits[batch];
        if (order === 6) return finish(shared, worker) ? die() : NO_ANSWER;
      }
      return finish(shared, worker) ? true : NO_ANSWER;
    },
    release: async () => undefined,
  };
});
