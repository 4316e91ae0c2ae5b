import { useMemo } from 'preact/hooks';
import { listed } from '../model/rankings.js';
import type { Running } from '../state/use-search.js';
import { Ranking } from './ranking.js';

/** While the models run: the initial ranking as soon as it is known, and room for what is to come. */
export function RunningResults({ running, depth }: { readonly running: Running; readonly depth: number }) {
  const { initial } = running;
  const documents = useMemo(() => listed(initial?.results ?? []), [initial]);
  return (
    <div class="results" aria-busy="true">
      <div class="side">
        <div class="card placeholder controls-placeholder" />
        <div class="card placeholder chunks-placeholder">
          {Array.from({ length: 5 }, (_, i) => (
            <p key={i}>
              <i />
              <i />
              <i />
            </p>
          ))}
        </div>
      </div>
      <Ranking
        documents={documents}
        rankings={initial ? { initial: initial.results.map(({ id }) => id) } : {}}
        firstStage={initial?.firstStage ?? null}
        finalNote="query and chunks"
        expected={Math.min(initial?.results.length ?? depth, 50)}
      />
    </div>
  );
}
