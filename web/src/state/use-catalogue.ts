import { useCallback, useEffect, useState } from 'preact/hooks';
import type { InfoAnswer, QueriesAnswer, VariantsAnswer } from '../model/answer.js';
import { ClientProblem, getJson } from './client.js';

/** The models and collections that the server has loaded. */
export interface Catalogue {
  readonly info: InfoAnswer;
  readonly variants: VariantsAnswer;
  readonly queries: QueriesAnswer['queries'];
}

export interface CatalogueState {
  readonly catalogue?: Catalogue;
  readonly problem?: ClientProblem;
  /** Asks again: after a search the measured times are new. */
  readonly reload: () => void;
}

export function useCatalogue(): CatalogueState {
  const [state, setState] = useState<Omit<CatalogueState, 'reload'>>({});
  const reload = useCallback(() => {
    load().then(
      (catalogue) => setState({ catalogue }),
      (problem: ClientProblem) => setState((current) => (current.catalogue ? current : { problem })),
    );
  }, []);
  useEffect(reload, []);
  return { ...state, reload };
}

async function load(): Promise<Catalogue> {
  const [info, variants, { queries }] = await Promise.all([
    getJson<InfoAnswer>('info'),
    getJson<VariantsAnswer>('variants'),
    getJson<QueriesAnswer>('queries'),
  ]);
  return { info, variants, queries };
}
