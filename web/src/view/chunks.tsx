import { useMemo } from 'preact/hooks';
import { wordsOf } from '../../../src/expansion/windows.js';
import type { SearchAnswer } from '../model/answer.js';
import { formatPercent, formatProbability } from '../model/format.js';
import { inContext } from '../model/highlight.js';
import type { Listed } from '../model/rankings.js';

interface Props {
  readonly answer: SearchAnswer;
  readonly documents: ReadonlyMap<string, Listed>;
  readonly onOpen: (document: string, chunk: number) => void;
}

const words = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];

/** The chunks that the query was expanded with: what they weigh, and where they were found. */
export function Chunks({ answer, documents, onOpen }: Props) {
  const { chunks, documents: explained } = answer.explanation!;
  const passages = useMemo(
    () => new Map(explained.map(({ id, passage }) => [id, wordsOf(passage ?? '')])),
    [explained],
  );
  if (chunks.length === 0) {
    return (
      <section class="card chunks">
        <h2>No expansion</h2>
        <p class="hint">
          This variant re-ranks with the query alone. Choose one of three letters to see chunks at work.
        </p>
      </section>
    );
  }
  const heaviest = Math.max(...chunks.map(({ weight }) => weight));
  return (
    <section class="card chunks" aria-labelledby="chunks-title">
      <h2 id="chunks-title">
        {words[chunks.length] ?? chunks.length} {chunks.length === 1 ? 'chunk' : 'chunks'}{' '}
        <small>
          from the best {answer.settings.kd} passages, {answer.settings.chunkWords} words each
        </small>
      </h2>
      <ol>
        {chunks.map((chunk, i) => {
          const { before, text, after } = inContext(
            passages.get(chunk.document) ?? [],
            chunk.start,
            chunk.start + chunk.words,
          );
          return (
            <li key={i}>
              <button type="button" onClick={() => onOpen(chunk.document, i)}>
                <span class="weight">
                  <span class="bar" aria-hidden="true">
                    <i style={{ width: `${(100 * chunk.weight) / heaviest}%` }} />
                  </span>
                  <span class="visually-hidden">Weight </span>
                  {formatPercent(chunk.weight)}
                  <small title="rel(q,c), what the model gives the query and this chunk">
                    rel(q,c) {formatProbability(chunk.score)}
                  </small>
                </span>
                <span class="quote">
                  {before} <mark>{text || chunk.text}</mark> {after}
                </span>
                <span class="from">{documents.get(chunk.document)?.label ?? chunk.document}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
