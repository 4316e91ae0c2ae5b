import { useState } from 'preact/hooks';
import type { Address } from '../model/address.js';
import { formatCount } from '../model/format.js';
import { indexName, isSite } from '../place.js';
import type { Catalogue } from '../state/use-catalogue.js';

interface Props {
  readonly catalogue: Catalogue;
  readonly source: Address['source'];
  readonly onExample: (query: string) => void;
}

const shownFirst = 12;

/** Before the first search: what this is, and queries to begin with. */
export function Welcome({ catalogue: { info, queries }, source, onExample }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? queries : queries.slice(0, shownFirst);
  return (
    <section class="welcome">
      <div class="welcome-text">
        <h1>Watch a query learn from its best answers</h1>
        <ol>
          <li>
            <b>Phase one</b> reads every candidate with the query, and finds its best passage.
          </li>
          <li>
            <b>Phase two</b> cuts the top passages into short chunks, and keeps those that fit the query best.
          </li>
          <li>
            <b>Phase three</b> reads every candidate again with those chunks. What the query lacked words for,
            they may have.
          </li>
        </ol>
        {isSite && (
          <p>
            The models run in this page. Nothing that you type, paste or drop leaves your device, and after
            the first visit it works without a network.
          </p>
        )}
        {source === 'pasted' && (
          <p>
            {info.collection
              ? `Paste documents above, or go back to ${indexName.toLowerCase()}.`
              : 'No index is loaded here: paste documents above, or start the server with --index or --demo.'}
          </p>
        )}
      </div>
      {source === 'index' && queries.length > 0 && (
        <div class="examples">
          <h2>{info.judged > 0 ? 'Queries with judgements' : 'Queries to try'}</h2>
          <ul>
            {shown.map(({ id, text, relevant }) => (
              <li key={id}>
                <button type="button" onClick={() => onExample(text)}>
                  <span>{text}</span>
                  {relevant !== null && <small>{relevant} relevant</small>}
                </button>
              </li>
            ))}
          </ul>
          {queries.length > shownFirst && !showsAll && (
            <button type="button" class="link" onClick={() => setShowsAll(true)}>
              All {formatCount(queries.length, 'query', 'queries')}
            </button>
          )}
        </div>
      )}
    </section>
  );
}
