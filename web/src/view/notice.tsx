import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { rememberKey, type ClientProblem } from '../state/client.js';

interface NoticeProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Something went otherwise than hoped: what, and what to do. */
export function Notice({ title, children, action }: NoticeProps) {
  return (
    <section class="notice" role="alert">
      <h2>{title}</h2>
      <p>{children}</p>
      {action && (
        <button type="button" class="button" onClick={action.run}>
          {action.label}
        </button>
      )}
    </section>
  );
}

interface KeyFormProps {
  /** The server's answer to a request without a key, or to the last key. */
  readonly refusal: ClientProblem;
  readonly onKey: () => void;
}

/** Asks for an API key, for servers that want one. */
export function KeyForm({ refusal, onKey }: KeyFormProps) {
  const [key, setKey] = useState('');
  const [answered, setAnswered] = useState<ClientProblem>();
  return (
    <section class="notice">
      <h2>This server asks for a key</h2>
      <form
        class="key-form"
        onSubmit={(event) => {
          event.preventDefault();
          rememberKey(key.trim());
          setAnswered(refusal);
          onKey();
        }}
      >
        <label for="key">API key, kept until this tab is closed</label>
        <div>
          <input
            id="key"
            type="password"
            autocomplete="off"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" disabled={key.trim() === ''}>
            Use it
          </button>
        </div>
        {answered && answered !== refusal && <p role="alert">The server did not take this key.</p>}
      </form>
    </section>
  );
}
