import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { VariantDescription } from '../model/answer.js';
import type { Address } from '../model/address.js';
import { formatCount } from '../model/format.js';
import { decodedText, type DroppedFile, pastedDocuments, withFiles } from '../model/paste.js';
import { indexName } from '../place.js';
import type { Catalogue } from '../state/use-catalogue.js';
import { examplePaste } from './example-paste.js';
import { VariantPicker } from './variant-picker.js';

interface Props {
  readonly query: string;
  readonly source: Address['source'];
  readonly pasted: string;
  readonly depth: number;
  readonly variant: VariantDescription | undefined;
  readonly catalogue: Catalogue;
  readonly isRunning: boolean;
  readonly onStop: () => void;
  readonly onSource: (source: Address['source']) => void;
  readonly onDepth: (depth: number) => void;
  readonly onVariant: (variant: VariantDescription) => void;
  readonly onSearch: (query: string, documents: string) => void;
}

const depths = [20, 30, 50, 100];

/** The form of a search: query, documents, models. Its layout does not depend on the text that is typed. */
export function SearchForm(props: Props) {
  const { source, depth, catalogue, isRunning } = props;
  const [query, setQuery] = useState(props.query);
  const [documents, setDocuments] = useState(props.pasted);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setQuery(props.query), [props.query]);
  useSlash(input);
  const count = useMemo(() => pastedDocuments(documents).length, [documents]);
  const [refusal, setRefusal] = useState<string>();
  const [isOpen, setOpen] = useState(props.query === '');
  useEffect(() => setOpen(props.query === ''), [props.query]);
  const take = (files: readonly File[]): void => {
    Promise.all(files.map(readFile))
      .then((read) => withFiles(documents, read))
      .then(
        (text) => {
          setDocuments(text);
          setRefusal(undefined);
        },
        (error: Error) => setRefusal(error.message),
      );
  };
  useDrop((files) => {
    if (source === 'index') props.onSource('pasted');
    setOpen(true);
    take(files);
  });

  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (query.trim() === '') return input.current?.focus();
        return props.onSearch(query.trim(), documents);
      }}
    >
      <div class="search-line">
        <label class="visually-hidden" for="query">
          Query
        </label>
        <div class="field">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="8.5" cy="8.5" r="5.5" />
            <path d="m13 13 4.5 4.5" />
          </svg>
          <input
            ref={input}
            id="query"
            name="q"
            type="search"
            enterkeyhint="search"
            autocomplete="off"
            spellcheck={false}
            placeholder={source === 'index' ? 'Search the collection' : 'Rank your documents by a query'}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        {/* Two buttons, not one that changes: a click on Stop must not become a submit. */}
        {isRunning ? (
          <button key="stop" type="button" class="button" onClick={props.onStop}>
            Stop
          </button>
        ) : (
          <button key="search" type="submit" class="button primary">
            Search
          </button>
        )}
      </div>
      <div class="search-options">
        <VariantPicker variants={catalogue.variants} chosen={props.variant} onChoose={props.onVariant} />
        {source === 'index' && (
          <label class="depth">
            Re-rank the first
            <select value={depth} onChange={(event) => props.onDepth(Number(event.currentTarget.value))}>
              {[...new Set([...depths, depth])]
                .sort((a, b) => a - b)
                .map((depth) => (
                  <option key={depth} value={depth}>
                    {depth}
                  </option>
                ))}
            </select>
          </label>
        )}
        <fieldset class="segments">
          <legend class="visually-hidden">What to search</legend>
          {(['index', 'pasted'] as const).map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="source"
                checked={source === one}
                disabled={one === 'index' && !catalogue.info.collection}
                onChange={() => props.onSource(one)}
              />
              <span>{one === 'index' ? indexName : 'Your own documents'}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {source === 'pasted' && (
        <details class="paste" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Documents
            <output for="documents">{formatCount(count, 'document')}</output>
          </summary>
          <label for="documents">
            One per line, separated by blank lines, or JSONL; or drop files anywhere on this page
          </label>
          <textarea
            id="documents"
            rows={7}
            spellcheck={false}
            placeholder="Paste texts here"
            value={documents}
            onInput={(event) => setDocuments(event.currentTarget.value)}
          />
          {refusal && <p role="alert">{refusal}</p>}
          <label class="file">
            Open files (text, JSONL, CSV)
            <input
              type="file"
              multiple
              accept=".txt,.md,.jsonl,.ndjson,.csv,.tsv"
              onChange={(event) => take([...(event.currentTarget.files ?? [])])}
            />
          </label>
          <button
            type="button"
            class="link"
            onClick={() => {
              setDocuments(examplePaste.documents);
              setQuery(examplePaste.query);
              input.current?.focus();
            }}
          >
            Fill in an example
          </button>
        </details>
      )}
    </form>
  );
}

async function readFile(file: File): Promise<DroppedFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, text: decodedText(file.name, bytes) };
}

/** Files that are dropped anywhere on the page are its documents; the browser would leave the page for them. */
function useDrop(take: (files: readonly File[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;
    const onDragOver = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      latest.current([...event.dataTransfer!.files]);
    };
    addEventListener('dragover', onDragOver);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('drop', onDrop);
    };
  }, []);
}

/** `/` goes to the search box from anywhere but from another field. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping = target.matches(
        'textarea, select, input:not([type="range"], [type="radio"], [type="file"])',
      );
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
