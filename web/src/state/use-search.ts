import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { SearchAnswer, SearchEvents, SearchProgress, SearchRequest } from '../model/answer.js';
import { ClientProblem, search } from './client.js';

/** The state of a running search. */
export interface Running {
  readonly state: 'running';
  readonly request: SearchRequest;
  readonly initial?: SearchEvents['initial'];
  /** The work that is waited for beside the phases. */
  readonly note?: string;
  /** Latest first: the phase that runs. */
  readonly progress: readonly SearchProgress[];
}

export type SearchState =
  | { readonly state: 'idle' }
  | Running
  | { readonly state: 'done'; readonly request: SearchRequest; readonly answer: SearchAnswer }
  | { readonly state: 'failed'; readonly request: SearchRequest; readonly problem: ClientProblem }
  | { readonly state: 'stopped'; readonly request: SearchRequest };

/** Answers that the back button comes back to. */
const remembered = 12;

/**
 * Runs the search that is asked for, and no other: a new request, or none, stops the one before it, on the server
 * too.
 */
export function useSearch(request: SearchRequest | undefined, onDone: () => void) {
  const [state, setState] = useState<SearchState>({ state: 'idle' });
  const [attempt, setAttempt] = useState(0);
  const answers = useRef(new Map<string, SearchAnswer>());
  const running = useRef<AbortController>(null);
  const key = request && JSON.stringify(request);

  useEffect(() => {
    if (!request || key === undefined) return setState({ state: 'idle' });
    const known = answers.current.get(key);
    if (known) return setState({ state: 'done', request, answer: known });
    const controller = new AbortController();
    running.current = controller;
    const update = (change: Partial<Running> | ((current: Running) => Partial<Running>)): void =>
      setState((current) =>
        current.state === 'running' && !controller.signal.aborted
          ? { ...current, ...(typeof change === 'function' ? change(current) : change) }
          : current,
      );
    setState({ state: 'running', request, progress: [] });
    search(
      request,
      {
        initial: (initial) => update({ initial }),
        note: (note) => update({ note }),
        progress: (one) => update(({ progress }) => ({ progress: withProgress(progress, one) })),
      },
      controller.signal,
    ).then(
      (answer) => {
        answers.current.set(key, answer);
        if (answers.current.size > remembered) answers.current.delete(answers.current.keys().next().value!);
        if (controller.signal.aborted) return;
        setState({ state: 'done', request, answer });
        onDone();
      },
      (problem: ClientProblem) => {
        if (!controller.signal.aborted) setState({ state: 'failed', request, problem });
      },
    );
    return () => controller.abort();
  }, [key, attempt]);

  const stop = useCallback(() => {
    running.current?.abort();
    setState((current) =>
      current.state === 'running' ? { state: 'stopped', request: current.request } : current,
    );
  }, []);
  const retry = useCallback(() => setAttempt((attempt) => attempt + 1), []);
  return { search: state, stop, retry };
}

function withProgress(all: readonly SearchProgress[], one: SearchProgress): SearchProgress[] {
  return [one, ...all.filter(({ phase }) => phase !== one.phase)];
}
