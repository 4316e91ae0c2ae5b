import type { VariantsAnswer } from '../model/answer.js';

interface Props {
  readonly alpha: number;
  readonly beta: number;
  readonly defaults: VariantsAnswer['settings'];
  readonly hasChunks: boolean;
  readonly hasInitial: boolean;
  readonly onChange: (change: {
    readonly alpha?: number | undefined;
    readonly beta?: number | undefined;
  }) => void;
}

/** α and β: the ranking is combined again in the browser, no model runs. */
export function Controls({ alpha, beta, defaults, hasChunks, hasInitial, onChange }: Props) {
  const isDefault = alpha === defaults.alpha && beta === defaults.beta;
  return (
    <section class="card controls" aria-labelledby="controls-title">
      <h2 id="controls-title">
        Combine <small>nothing is scored again</small>
        <button
          type="button"
          class="link"
          disabled={isDefault}
          onClick={() => onChange({ alpha: undefined, beta: undefined })}
        >
          Reset
        </button>
      </h2>
      <Slider
        id="alpha"
        symbol="α"
        name="chunks’ share"
        value={alpha}
        from="query only"
        to="chunks only"
        off={hasChunks ? undefined : 'no chunks with this variant'}
        onChange={(value) => onChange({ alpha: value === defaults.alpha ? undefined : value })}
      />
      <Slider
        id="beta"
        symbol="β"
        name="models’ share"
        value={beta}
        from="initial only"
        to="models only"
        off={hasInitial ? undefined : 'no initial scores'}
        onChange={(value) => onChange({ beta: value === defaults.beta ? undefined : value })}
      />
    </section>
  );
}

interface SliderProps {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly value: number;
  readonly from: string;
  readonly to: string;
  /** The reason why it cannot be moved. */
  readonly off: string | undefined;
  readonly onChange: (value: number) => void;
}

function Slider({ id, symbol, name, value, from, to, off, onChange }: SliderProps) {
  return (
    <div class="slider">
      <label for={id}>
        <b>{symbol}</b> {name}
      </label>
      <output for={id}>{value.toFixed(2)}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={value}
        disabled={off !== undefined}
        aria-describedby={`${id}-ends`}
        style={{ '--filled': `${100 * value}%` }}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      <p id={`${id}-ends`} class="ends">
        {off ?? (
          <>
            <span>{from}</span>
            <span class="visually-hidden"> to </span>
            <span>{to}</span>
          </>
        )}
      </p>
    </div>
  );
}
