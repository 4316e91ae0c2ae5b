import type { Problem, SearchEvents, SearchRequest } from '../model/answer.js';
import { readEvents } from '../model/events.js';
import { ClientProblem, type SearchListener } from './client-problem.js';
import { remember, remembered } from './tab-storage.js';

export { ClientProblem, type SearchListener };

const keyName = 'bert-qe-key';

/** The API key is asked for where the server wants one, and forgotten with the tab. */
export function rememberKey(key: string): void {
  remember(keyName, key);
}

/** Paths are relative to the page's, so that it works behind a proxy's prefix too. */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const key = remembered(keyName);
  let answer: Response;
  try {
    answer = await fetch(path, {
      ...init,
      headers: { ...init.headers, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) },
    });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ClientProblem('unreachable', 'The server does not answer. Is bert-qe serve still running?');
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function problemOf(answer: Response): Promise<ClientProblem> {
  const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const body = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  return new ClientProblem(
    body.error_type ?? 'failure',
    body.message ?? `The server answered with status ${answer.status}.`,
    Number.isFinite(after) ? after : undefined,
  );
}

export async function getJson<T>(path: string): Promise<T> {
  return (await (await ask(path)).json()) as T;
}

export async function getText(path: string): Promise<string> {
  return (await ask(path)).text();
}

/** Searches, and tells on the way what is known; the result at the end. */
export async function search(
  request: SearchRequest,
  listener: SearchListener,
  signal: AbortSignal,
): Promise<SearchEvents['result']> {
  const answer = await ask('search', {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(request),
  });
  try {
    for await (const { name, data } of readEvents(chunksOf(answer.body!))) {
      const value: unknown = JSON.parse(data);
      if (name === 'result') return value as SearchEvents['result'];
      if (name === 'initial') listener.initial(value as SearchEvents['initial']);
      if (name === 'progress') listener.progress(value as SearchEvents['progress']);
      if (name === 'error') {
        const { error_type, message } = value as Problem;
        throw new ClientProblem(error_type, message);
      }
    }
  } catch (error) {
    if (error instanceof ClientProblem || signal.aborted) throw error;
    throw new ClientProblem('unreachable', 'The connection broke while the models were running.');
  }
  throw new ClientProblem('unreachable', 'The connection ended before the result was there.');
}

/** A stream as an iteration; not every browser has that built in. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
