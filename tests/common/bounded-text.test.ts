import { expect, test } from 'vitest';
import { boundedText } from '../../src/common/bounded-text.js';

/** An answer that comes byte by byte. */
function answerOf(text: string): Pick<Response, 'body'> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at === bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, ++at));
    },
  });
  return { body };
}

test('the text of an answer is the same in single bytes, up to a number of them', async () => {
  const text = 'é 語 '.repeat(20_000);
  expect(await boundedText(answerOf(text), 140_000, 'http://x')).toBe(text);
  expect(await boundedText({ body: null }, 10, 'http://x')).toBe('');
  await expect(boundedText(answerOf(text), 139_999, 'http://x')).rejects.toThrow(
    'http://x: the answer is too long, longer than 139999 bytes',
  );
});
