import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Combination } from '../../../src/expansion/equations.js';
import type { SearchAnswer } from '../model/answer.js';
import { labelOf } from '../model/rankings.js';
import type { Place } from '../model/recombine.js';
import { Contributions } from './contributions.js';
import { Passage } from './passage.js';
import { Sum } from './sum.js';

interface Props {
  readonly answer: SearchAnswer;
  readonly place: Place;
  readonly ranks: { readonly initial: number; readonly phase1: number | null };
  readonly combination: Combination;
  /** The chunk that is looked at. */
  readonly chunk: number | undefined;
  readonly onChunk: (chunk: number | undefined) => void;
  readonly onClose: () => void;
}

/** A document: its way through the rankings, its best passage, and what every chunk did to it. */
export function DocumentPanel(props: Props) {
  const { answer, place, ranks, combination, chunk, onChunk, onClose } = props;
  const result = answer.results.find(({ id }) => id === place.id)!;
  const explained = answer.explanation!.documents.find(({ id }) => id === place.id)!;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.closest('.side')?.scrollTo({ top: 0 });
    heading.current?.focus({ preventScroll: true });
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const way = [ranks.initial, ranks.phase1, place.rank].filter((rank) => rank !== null);

  return (
    <article class="card document" aria-labelledby="document-title">
      <header>
        <h2 id="document-title" ref={heading} tabIndex={-1}>
          {labelOf(result)}
        </h2>
        <button type="button" class="close" aria-label="Close the document" onClick={onClose}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m3 3 10 10M13 3 3 13" />
          </svg>
        </button>
        <p class="facts">
          <code>{place.id}</code>
          <span>
            place{' '}
            {way.map((rank, i) => (
              <Fragment key={i}>
                {i > 0 && (
                  <>
                    <span aria-hidden="true"> → </span>
                    <span class="visually-hidden"> then </span>
                  </>
                )}
                <b>{rank}</b>
              </Fragment>
            ))}
          </span>
          {result.level !== undefined && (
            <span class={`level ${result.level > 0 ? 'yes' : 'no'}`}>
              {result.level > 0 ? `relevant, level ${result.level}` : 'judged not relevant'}
            </span>
          )}
        </p>
      </header>
      <Passage answer={answer} result={result} document={explained} chunk={chunk} />
      <Contributions
        document={explained}
        chunks={answer.explanation!.chunks}
        combination={combination}
        total={place.combined}
        selected={chunk}
        onSelect={onChunk}
      />
      <Sum document={explained} place={place} combination={combination} />
    </article>
  );
}
