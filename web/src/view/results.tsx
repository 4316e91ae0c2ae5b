import { useMemo, useState } from 'preact/hooks';
import type { SearchAnswer, VariantsAnswer } from '../model/answer.js';
import type { Address } from '../model/address.js';
import { measure } from '../model/measures.js';
import { fixedRankings, listed } from '../model/rankings.js';
import { recombine } from '../model/recombine.js';
import type { Navigate } from '../state/use-address.js';
import { useMedia } from '../state/use-media.js';
import { Chunks } from './chunks.js';
import { Controls } from './controls.js';
import { DocumentPanel } from './document-panel.js';
import { Notice } from './notice.js';
import { Ranking } from './ranking.js';
import { Sheet } from './sheet.js';

interface Props {
  readonly answer: SearchAnswer;
  readonly address: Address;
  readonly navigate: Navigate;
  readonly defaults: VariantsAnswer['settings'];
}

/** A finished search: the rankings, the sliders, the chunks, and the opened document. */
export function Results({ answer, address, navigate, defaults }: Props) {
  const alpha = address.alpha ?? defaults.alpha;
  const beta = address.beta ?? defaults.beta;
  const [chunk, setChunk] = useState<number>();
  const isWide = useMedia('(min-width: 70rem)');
  const explanation = answer.explanation!;
  const documents = useMemo(() => listed(answer.results), [answer]);
  const fixed = useMemo(() => fixedRankings(answer), [answer]);
  const places = useMemo(() => recombine(explanation, { alpha, beta }), [explanation, alpha, beta]);
  const final = useMemo(() => places.map(({ id }) => id), [places]);
  const measures = useMemo(() => {
    const { judgements } = answer;
    if (!judgements) return undefined;
    return {
      initial: measure(fixed.initial!, judgements.levels),
      ...(fixed.phase1 ? { phase1: measure(fixed.phase1, judgements.levels) } : {}),
      final: measure(final, judgements.levels),
    };
  }, [answer, fixed, final]);

  if (answer.results.length === 0) {
    return (
      <Notice title="Nothing found">
        No document has a word of this query. Other words may do; expansion needs a first ranking to learn
        from.
      </Notice>
    );
  }

  const openedPlace = places.find(({ id }) => id === address.document);
  const open = (document: string | undefined, chunk?: number): void => {
    setChunk(chunk);
    navigate({ document });
  };
  const close = (): void => {
    open(undefined);
    // Back to where one was, once the row can be reached again.
    const row = `.column.final li[data-id="${CSS.escape(address.document ?? '')}"] button`;
    setTimeout(() => document.querySelector<HTMLElement>(row)?.focus());
  };
  const panel = openedPlace && (
    <DocumentPanel
      key={openedPlace.id}
      answer={answer}
      place={openedPlace}
      ranks={{
        initial: fixed.initial!.indexOf(openedPlace.id) + 1,
        phase1: fixed.phase1 ? fixed.phase1.indexOf(openedPlace.id) + 1 : null,
      }}
      combination={{ alpha, beta }}
      chunk={chunk}
      onChunk={setChunk}
      onClose={close}
    />
  );
  return (
    <div class="results">
      <div class="side">
        <Controls
          alpha={alpha}
          beta={beta}
          defaults={defaults}
          hasChunks={explanation.chunks.length > 0}
          hasInitial={explanation.documents.some(({ initial }) => initial !== null)}
          onChange={(change) => navigate(change, 'replace')}
        />
        {isWide && (panel ?? <Chunks answer={answer} documents={documents} onOpen={open} />)}
      </div>
      <Ranking
        documents={documents}
        rankings={{ ...fixed, final }}
        firstStage={answer.firstStage}
        finalNote={
          explanation.chunks.length > 0
            ? `query and chunks, α ${alpha.toFixed(2)}, β ${beta.toFixed(2)}`
            : `query alone, β ${beta.toFixed(2)}`
        }
        scores={new Map(places.map(({ id, combined }) => [id, combined]))}
        measures={measures}
        relevant={answer.judgements?.relevant}
        opened={address.document}
        onOpen={(id) => open(id === address.document ? undefined : id)}
      />
      {!isWide && <Chunks answer={answer} documents={documents} onOpen={open} />}
      {!isWide && panel && <Sheet onClose={close}>{panel}</Sheet>}
    </div>
  );
}
