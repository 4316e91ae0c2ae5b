import type { Answer, Asked } from '../../remote/support/loopback.js';

/** The answer of a server behind the one that was asked. */
export async function passOn(url: string, { method, path, headers, text }: Asked): Promise<Answer> {
  const { accept = 'application/json', 'content-type': type = 'application/json' } = headers;
  const answer = await fetch(url + path, {
    method,
    headers: { accept, 'content-type': type },
    ...(text === '' ? {} : { body: text }),
  });
  const product = answer.headers.get('x-elastic-product');
  return {
    status: answer.status,
    text: await answer.text(),
    headers: {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(product === null ? {} : { 'x-elastic-product': product }),
    },
  };
}
