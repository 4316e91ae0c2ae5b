import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { VariantDescription, VariantsAnswer } from '../model/answer.js';
import { formatCount, formatFlops, formatMilliseconds, formatTimes } from '../model/format.js';
import { phaseNames } from './phase-names.js';

interface Props {
  readonly variants: VariantsAnswer;
  readonly chosen: VariantDescription | undefined;
  readonly onChoose: (variant: VariantDescription) => void;
}

/** The choice of models for the phases, with their cost as the paper counts it and as measured on this server. */
export function VariantPicker({ variants: { variants }, chosen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const byPointer = useRef(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointer = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', onPointer);
    return () => removeEventListener('pointerdown', onPointer);
  }, [isOpen]);
  // Before the next key arrives, however fast it is pressed.
  useLayoutEffect(() => {
    if (isOpen) root.current?.querySelector<HTMLInputElement>('input:checked')?.focus();
  }, [isOpen]);
  const slowest = Math.max(...variants.map(({ measured }) => measured?.milliseconds.total ?? 0));

  return (
    <div
      class="picker"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && !(event.key === 'Enter' && isOpen && event.target !== button.current))
          return;
        event.preventDefault();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        class="picker-button"
        aria-expanded={isOpen}
        aria-controls="variants"
        onClick={() => setOpen(!isOpen)}
      >
        <b>{chosen?.name ?? 'Variant'}</b>
        {chosen?.paper && <span>{formatTimes(chosen.paper.relative)} BERT-Large</span>}
        <svg viewBox="0 0 12 8" aria-hidden="true">
          <path d="m1.5 1.5 4.5 4.5 4.5-4.5" />
        </svg>
      </button>
      <fieldset id="variants" class="variants" hidden={!isOpen}>
        <legend>Models of the three phases, and what they cost</legend>
        {variants.map((variant) => (
          <label
            key={variant.id}
            class="variant"
            onPointerDown={() => (byPointer.current = true)}
            onKeyDown={() => (byPointer.current = false)}
          >
            <input
              type="radio"
              name="variant"
              checked={variant === chosen}
              onChange={() => {
                onChoose(variant);
                // Arrow keys go on choosing; a click has chosen.
                if (byPointer.current) setOpen(false);
              }}
            />
            <span class="variant-name">{variant.name}</span>
            <span class="variant-models">{modelsOf(variant)}</span>
            <span class="variant-cost">
              {variant.paper
                ? `${formatFlops(variant.paper.flops)} a query · ${formatTimes(variant.paper.relative)} BERT-Large`
                : 'FLOPs not known'}
            </span>
            <Measured variant={variant} slowest={slowest} />
          </label>
        ))}
        <p class="hint">
          FLOPs as the paper counts them, for 1,000 documents. Times were measured on this server.
        </p>
      </fieldset>
    </div>
  );
}

function modelsOf({ models, expansion }: VariantDescription): string {
  const { phaseOne, phaseTwo, phaseThree } = models;
  if (!expansion) return `${phaseOne.model}, the query alone`;
  return [phaseOne, phaseTwo, phaseThree].map((phase) => phase?.model ?? '').join(' → ');
}

/** Milliseconds per phase, as a bar that can be compared with those of the others. */
function Measured({ variant, slowest }: { readonly variant: VariantDescription; readonly slowest: number }) {
  const { measured } = variant;
  if (!measured) return <span class="variant-measured">not measured yet</span>;
  const { total, ...phases } = measured.milliseconds;
  const parts = phaseNames.map(({ phase, name }) => ({ phase, name, ms: phases[phase] }));
  return (
    <span class="variant-measured">
      {formatMilliseconds(total)}, the mean of {formatCount(measured.searches, 'search', 'searches')} of{' '}
      {Math.round(measured.documents)} documents
      <span class="stack" aria-hidden="true">
        {parts.map(({ phase, ms }) => (
          <i key={phase} class={phase} style={{ width: `${(100 * ms) / slowest}%` }} />
        ))}
      </span>
      <span class="variant-phases">
        {parts
          .filter(({ ms }) => ms > 0)
          .map(({ phase, name, ms }) => (
            <span key={phase}>
              <i class={phase} /> {name.toLowerCase()} {formatMilliseconds(ms)}
            </span>
          ))}
      </span>
    </span>
  );
}
