import { formatCount } from '../model/format.js';
import { shownMeasures, type Measures as Values } from '../model/measures.js';

interface Props {
  readonly measures: { readonly initial: Values; readonly phase1?: Values; readonly final: Values };
  /** Documents of the collection that are judged relevant. */
  readonly relevant: number;
}

/** What the three rankings are worth by the judgements; the last column follows the sliders. */
export function Measures({ measures: { initial, phase1, final }, relevant }: Props) {
  return (
    <section class="card measures" aria-labelledby="measures-title">
      <h2 id="measures-title">
        Measures <small>{formatCount(relevant, 'relevant document')}</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Measure</span>
            </th>
            <th scope="col">Initial</th>
            <th scope="col">Phase one</th>
            <th scope="col">Final</th>
            <th scope="col">
              <span class="visually-hidden">Final against initial</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shownMeasures.map((name) => {
            const gain = final[name] - initial[name];
            const direction = Math.abs(gain) < 0.0005 ? 'same' : gain > 0 ? 'up' : 'down';
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{initial[name].toFixed(3)}</td>
                <td>{phase1 ? phase1[name].toFixed(3) : '–'}</td>
                <td class="final">{final[name].toFixed(3)}</td>
                <td class={`gain ${direction}`}>{direction === 'same' ? '±0' : signed(gain)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function signed(gain: number): string {
  return (gain > 0 ? '+' : '−') + Math.abs(gain).toFixed(3);
}
