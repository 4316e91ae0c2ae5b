import type { InfoAnswer } from '../model/answer.js';
import { isSite } from '../place.js';
import type { Address } from '../model/address.js';
import { formatCount } from '../model/format.js';
import type { Navigate } from '../state/use-address.js';

interface Props {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly info: InfoAnswer | undefined;
}

export function Header({ address, navigate, info }: Props) {
  const views = [
    { view: 'search', label: 'Search', href: '.' },
    { view: 'experiments', label: 'Experiments', href: '?view=experiments' },
  ] as const;
  // Experiments are run by a server; the site has their reports among its documents.
  const shown = views.filter(({ view }) => view === 'search' || !isSite);
  return (
    <header class="header">
      <a
        class="wordmark"
        href="."
        onClick={(event) => {
          event.preventDefault();
          navigate({ view: 'search', query: '', document: undefined, experiment: undefined });
        }}
      >
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M4 24C15 24 17 8 28 8" />
          <path class="fall" d="M4 8C15 8 17 24 28 24" />
        </svg>
        bert-qe
      </a>
      <nav aria-label="Views">
        {shown.map(({ view, label, href }) => (
          <a
            key={view}
            href={href}
            aria-current={address.view === view ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault();
              navigate({ view, experiment: undefined });
            }}
          >
            {label}
          </a>
        ))}
      </nav>
      <p class="loaded">
        {info?.collection ? (
          <>
            <b>{formatCount(info.collection.documents, 'document')}</b>
            <span> · {info.collection.firstStage}</span>
            {info.judged > 0 && <span> · {formatCount(info.judged, 'judged query', 'judged queries')}</span>}
          </>
        ) : info ? (
          'No index loaded'
        ) : (
          ''
        )}
      </p>
      <a class="api" href={isSite ? 'docs/' : 'docs'}>
        {isSite ? 'Documentation' : 'API'}
      </a>
    </header>
  );
}
