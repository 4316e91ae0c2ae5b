import { shownMeasures, type Measures } from '../model/measures.js';

interface Props {
  readonly measures: Measures;
  /** With it, the difference is shown too. */
  readonly baseline: Measures | undefined;
}

/** The measures of a ranking by the judgements. */
export function MeasureLine({ measures, baseline }: Props) {
  return (
    <dl class="measures">
      {shownMeasures.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {measures[name].toFixed(3)}
            {baseline && <Gain value={measures[name] - baseline[name]} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Gain({ value }: { readonly value: number }) {
  const direction = Math.abs(value) < 0.0005 ? 'same' : value > 0 ? 'up' : 'down';
  const sign = { same: '±', up: '+', down: '−' }[direction];
  return (
    <small class={`gain ${direction}`} title="against the initial ranking">
      {sign + Math.abs(value).toFixed(3)}
    </small>
  );
}
