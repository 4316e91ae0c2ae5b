import { useMemo, useState } from 'preact/hooks';
import { wordsOf } from '../../../src/expansion/windows.js';
import type { ExplainedDocument, SearchAnswer, SearchResult } from '../model/answer.js';
import { chunkSpans, segmentsOf, type ChunkSpan } from '../model/highlight.js';
import { termMatcher } from '../model/terms.js';

interface Props {
  readonly answer: SearchAnswer;
  readonly result: SearchResult;
  readonly document: ExplainedDocument;
  readonly chunk: number | undefined;
}

/**
 * The best passage, which stands for the document in every phase; on request, all of the text around it. Chunks that
 * were cut from it are marked; so are the words that it shares with the query, or with the chunk that is looked at.
 */
export function Passage({ answer, result, document, chunk }: Props) {
  const [isWhole, setWhole] = useState(false);
  const { chunks } = answer.explanation!;
  const passage = useMemo(() => wordsOf(document.passage ?? ''), [document]);
  const text = useMemo(() => wordsOf(result.text ?? ''), [result]);
  const spans = useMemo(() => chunkSpans(document.id, chunks), [document, chunks]);
  const looked = chunk === undefined ? answer.query : chunks[chunk].text;
  const isTerm = useMemo(() => termMatcher([looked]), [looked]);
  const { titleWords, start, end } = document.passageAt ?? { titleWords: 0, start: 0, end: text.length };
  const isPart = start > 0 || end < text.length;
  const marked = { chunk, isTerm };
  const goesOn = spans.some(({ start, end }) => start < titleWords && titleWords < end);

  return (
    <section class="passage" aria-labelledby="passage-title">
      <h3 id="passage-title">
        {isPart ? 'Best passage' : 'Text'}
        {isPart && (
          <button type="button" class="link" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            Whole document
          </button>
        )}
      </h3>
      {passage.length === 0 ? (
        <p class="hint">This document has no words; every score of it is 0.</p>
      ) : (
        <p class="text">
          {isWhole && start > 0 && <span class="outside">{text.slice(0, start).join(' ')} </span>}
          {titleWords > 0 && (
            <span class="title">
              <Marked words={passage.slice(0, titleWords)} spans={spans} goesOn={goesOn} {...marked} />
            </span>
          )}
          <Marked words={passage.slice(titleWords)} spans={shift(spans, -titleWords)} {...marked} />
          {isWhole && end < text.length && <span class="outside"> {text.slice(end).join(' ')}</span>}
        </p>
      )}
      <p class="legend">
        {spans.length > 0 && (
          <span>
            <mark>chunk</mark> cut from here
          </span>
        )}
        <span>
          <u>word</u> {chunk === undefined ? 'shared with the query' : `shared with chunk ${chunk + 1}`}
        </span>
      </p>
    </section>
  );
}

interface MarkedProps {
  readonly words: readonly string[];
  readonly spans: readonly ChunkSpan[];
  readonly chunk: number | undefined;
  readonly isTerm: (word: string) => boolean;
  /** A chunk goes on behind these words. */
  readonly goesOn?: boolean;
}

function Marked({ words, spans, chunk, isTerm, goesOn = false }: MarkedProps) {
  const segments = segmentsOf(words, spans, isTerm);
  return (
    <>
      {segments.map(({ text, chunks, isTerm }, i) => {
        const word = isTerm ? <u>{text}</u> : text;
        if (chunks.length === 0) return <span key={i}>{word} </span>;
        // The space behind belongs to the mark only where another goes on.
        const isInside = i + 1 < segments.length ? segments[i + 1].chunks.length > 0 : goesOn;
        const isSelected = chunk !== undefined && chunks.includes(chunk);
        return (
          <span key={i}>
            <mark
              class={isSelected ? 'selected' : ''}
              title={`chunk ${chunks.map((one) => one + 1).join(' and ')}`}
            >
              {word}
              {isInside && ' '}
            </mark>
            {!isInside && ' '}
          </span>
        );
      })}
    </>
  );
}

function shift(spans: readonly ChunkSpan[], by: number): ChunkSpan[] {
  return spans.map(({ chunk, start, end }) => ({ chunk, start: start + by, end: end + by }));
}
