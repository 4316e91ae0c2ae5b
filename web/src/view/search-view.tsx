import { useMemo, useState } from 'preact/hooks';
import type { SearchRequest } from '../model/answer.js';
import type { Address } from '../model/address.js';
import { pastedDocuments } from '../model/paste.js';
import { useSearch } from '../state/use-search.js';
import { remember, remembered } from '../state/tab-storage.js';
import type { Navigate } from '../state/use-address.js';
import type { Catalogue } from '../state/use-catalogue.js';
import { Notice } from './notice.js';
import { Pipeline } from './pipeline.js';
import { Results } from './results.js';
import { RunningResults } from './running-results.js';
import { SearchForm } from './search-form.js';
import { Welcome } from './welcome.js';

interface Props {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly catalogue: Catalogue;
  readonly reload: () => void;
}

const pastedName = 'bert-qe-pasted';

/** As many as can be read in three columns, where nobody asks for another number. */
const defaultDepth = 30;

export function SearchView({ address, navigate, catalogue, reload }: Props) {
  const { info, variants } = catalogue;
  const source = info.collection ? address.source : 'pasted';
  const [pasted, setPasted] = useState(() => remembered(pastedName) ?? '');
  const depth = address.depth ?? Math.min(defaultDepth, info.collection?.depth ?? defaultDepth);
  const model = address.model ?? variants.default;
  const request = useMemo(
    () => requestFor(address.query, source, pasted, model, depth),
    [address.query, source, pasted, model, depth],
  );
  const { search, stop, retry } = useSearch(request, reload);
  const variant = variants.variants.find(({ id, aliases }) => [id, ...aliases].includes(model));

  return (
    <>
      <SearchForm
        query={address.query}
        source={source}
        pasted={pasted}
        depth={depth}
        variant={variant}
        catalogue={catalogue}
        isRunning={search.state === 'running'}
        onStop={stop}
        onSource={(source) => navigate({ source, query: '', document: undefined })}
        onDepth={(depth) => navigate({ depth, document: undefined })}
        onVariant={({ id }) => navigate({ model: id === variants.default ? undefined : id })}
        onSearch={(query, documents) => {
          if (source === 'pasted') {
            remember(pastedName, documents);
            setPasted(documents);
          }
          if (query === address.query && search.state !== 'done') retry();
          navigate({ query, document: undefined });
        }}
      />
      {search.state === 'idle' && (
        <Welcome
          catalogue={catalogue}
          source={source}
          onExample={(query) => navigate({ query, document: undefined })}
        />
      )}
      {search.state === 'failed' && (
        <Notice
          {...failure(search.problem)}
          action={
            search.problem.type === 'not_found'
              ? { label: 'Take the default variant', run: () => navigate({ model: undefined }) }
              : { label: 'Try again', run: retry }
          }
        />
      )}
      {search.state === 'stopped' && (
        <Notice title="Stopped" action={{ label: 'Run it again', run: retry }}>
          The models stop at their next batch; nothing more is computed for this search.
        </Notice>
      )}
      {(search.state === 'running' || search.state === 'done') && (
        <Pipeline search={search} variant={variant} />
      )}
      {search.state === 'running' && search.note && (
        <p class="note" role="status">
          {search.note}
        </p>
      )}
      {search.state === 'running' && <RunningResults running={search} depth={depth} />}
      {search.state === 'done' && (
        <Results answer={search.answer} address={address} navigate={navigate} defaults={variants.settings} />
      )}
    </>
  );
}

/** None while there is nothing to ask. */
function requestFor(
  query: string,
  source: Address['source'],
  pasted: string,
  model: string,
  depth: number,
): SearchRequest | undefined {
  if (query.trim() === '') return undefined;
  const common = { query, model, explain: true, texts: true };
  if (source === 'index') return { ...common, depth };
  const documents = pastedDocuments(pasted);
  return documents.length === 0 ? undefined : { ...common, documents };
}

function failure({
  type,
  message,
  retryAfter,
}: {
  type: string;
  message: string;
  retryAfter?: number | undefined;
}) {
  switch (type) {
    case 'overloaded':
      return {
        title: 'The server has its hands full',
        children: retryAfter ? `${message} It expects room in ${retryAfter} s.` : message,
      };
    case 'unreachable':
      return { title: 'The server is gone', children: message };
    case 'deadline':
      return {
        title: 'That took too long',
        children: `${message} Fewer documents or a smaller variant need less.`,
      };
    case 'not_found':
    case 'invalid_request':
      return { title: 'This search cannot be run', children: message };
    default:
      return { title: 'The search failed', children: message };
  }
}
