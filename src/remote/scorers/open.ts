import { BertQeError, usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { openInferenceScorer } from './open-inference.js';
import type { RemoteScorer } from './remote-scorer.js';
import { cohereScorer, teiScorer } from './rerank-apis.js';

const kinds = ['tei', 'cohere', 'oip'] as const;
type Kind = (typeof kinds)[number];

/** Settings after the `?` of a scorer's address, by kind. */
const settings: Readonly<Record<Kind, readonly string[]>> = {
  tei: ['batch', 'concurrency', 'timeout'],
  cohere: ['model', 'batch', 'concurrency', 'timeout'],
  oip: ['model', 'tokenizer', 'batch', 'concurrency', 'timeout'],
};

/** True for the address of a remote scorer: `tei+http://…`, `cohere+https://…`, `oip+http://…`. */
export function isScorerAddress(name: string): boolean {
  return /^[a-z]+\+https?:\/\//.test(name);
}

/**
 * Opens a remote scorer by its address:
 *
 * - `tei+http://host:8080`
 * - `cohere+https://api.example/v2/rerank?model=NAME`
 * - `oip+http://host:8000?model=NAME&tokenizer=FOLDER`
 *
 * `batch`, `concurrency` and `timeout` (seconds) may follow. `BERT_QE_SCORER_KEY` is sent as a bearer token.
 */
export async function openRemoteScorer(address: string, signal?: AbortSignal): Promise<RemoteScorer> {
  const plus = address.indexOf('+');
  const kind = kinds.find((name) => name === address.slice(0, plus));
  if (!kind) throw usage(address, `there is no kind "${address.slice(0, plus)}", only ${kinds.join(', ')}`);
  const url = new URL(address.slice(plus + 1));
  for (const name of url.searchParams.keys()) {
    if (!settings[kind].includes(name)) {
      throw usage(address, `${kind} has no setting "${name}", only ${settings[kind].join(', ')}`);
    }
  }
  const text = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const model = text('model');
  const tokenizer = text('tokenizer');
  const { BERT_QE_SCORER_KEY: key } = process.env;
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const shared = { url: url.origin + url.pathname, ...limits(address, text), headers };
  if (kind === 'tei') return teiScorer(shared, signal);
  if (kind === 'cohere') return cohereScorer({ ...shared, ...(model ? { model } : {}) });
  if (!model || !tokenizer) {
    throw usage(address, 'oip needs ?model=NAME on the server and &tokenizer=FOLDER, a model folder here');
  }
  return openInferenceScorer({ ...shared, model, tokenizer }, signal);
}

function limits(address: string, text: (name: string) => string | undefined) {
  const count = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d*$/.test(value))
      throw usage(address, `${name} is "${value}"; give a whole number from 1 on`);
    return Number(value);
  };
  const batch = count('batch');
  const concurrency = count('concurrency');
  const timeout = count('timeout');
  return omitUndefined({ batch, concurrency, timeoutMs: timeout && 1000 * timeout });
}

function usage(address: string, problem: string): BertQeError {
  return usageError(`${address}: ${problem}.`);
}
