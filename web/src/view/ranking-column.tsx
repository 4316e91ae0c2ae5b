import { useState } from 'preact/hooks';
import { formatProbability } from '../model/format.js';
import type { Measures } from '../model/measures.js';
import { movement, sayMovement } from '../model/movement.js';
import type { Listed, Stage } from '../model/rankings.js';
import { useGlide } from '../state/use-glide.js';
import { MeasureLine } from './measure-line.js';

interface Props {
  readonly stage: Stage;
  readonly title: string;
  readonly subtitle: string;
  readonly order: readonly string[] | undefined;
  readonly documents: ReadonlyMap<string, Listed>;
  readonly initialPlaces: ReadonlyMap<string, number>;
  readonly measures?: Measures | undefined;
  /** The measures that these are compared with. */
  readonly baseline?: Measures | undefined;
  readonly scores?: ReadonlyMap<string, number | null> | undefined;
  readonly hot: string | undefined;
  readonly opened: string | undefined;
  readonly expected: number;
  readonly onHover: (id: string | undefined) => void;
  readonly onOpen?: ((id: string) => void) | undefined;
}

/** One state of the ranking. The list is one stop of the Tab key; arrow keys go through it. */
export function RankingColumn(props: Props) {
  const { stage, order, documents, hot, opened, onHover, onOpen } = props;
  const list = useGlide(order ?? []);
  const [active, setActive] = useState<string>();
  const reachable = [active, opened, order?.[0]].find((id) => id !== undefined && order?.includes(id));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!order) return;
    const at = order.indexOf((event.target as HTMLElement).closest('li')?.dataset.id ?? '');
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: order.length - 1 }[event.key];
    if (at < 0 || to === undefined || order[to] === undefined) return;
    event.preventDefault();
    list.current?.children[to]?.querySelector('button')?.focus();
  };

  return (
    <section class={`column ${stage}`} aria-labelledby={`column-${stage}`}>
      <header>
        <h2 id={`column-${stage}`}>
          {props.title} <small>{props.subtitle}</small>
        </h2>
        {props.measures && <MeasureLine measures={props.measures} baseline={props.baseline} />}
      </header>
      <ol ref={list} onKeyDown={onKeyDown}>
        {order
          ? order.map((id, i) => {
              const { label, level } = documents.get(id)!;
              const moved = movement(props.initialPlaces.get(id) ?? i + 1, i + 1);
              const score = props.scores?.get(id);
              return (
                <li key={id} data-id={id} class={id === hot ? 'hot' : ''}>
                  <button
                    type="button"
                    tabIndex={id === reachable ? 0 : -1}
                    aria-pressed={id === opened}
                    onFocus={() => {
                      setActive(id);
                      onHover(id);
                    }}
                    onBlur={() => onHover(undefined)}
                    onPointerEnter={() => onHover(id)}
                    onClick={() => onOpen?.(id)}
                    disabled={!onOpen}
                  >
                    <span class="rank">{i + 1}</span>
                    <Judged level={level} />
                    <span class="label" title={label}>
                      {label}
                    </span>
                    {score != null && (
                      <span class="score">
                        <span class="visually-hidden">, M </span>
                        {formatProbability(score)}
                      </span>
                    )}
                    {stage !== 'initial' && (
                      <span class={`moved ${moved.direction}`}>
                        <span aria-hidden="true">{moved.direction === 'same' ? '–' : moved.places}</span>
                        <span class="visually-hidden">, {sayMovement(moved)}</span>
                      </span>
                    )}
                  </button>
                </li>
              );
            })
          : Array.from({ length: props.expected }, (_, i) => (
              <li key={i} class="empty" aria-hidden="true">
                <span class="rank">{i + 1}</span>
                <i style={{ width: `${45 + ((i * 37) % 45)}%` }} />
              </li>
            ))}
      </ol>
    </section>
  );
}

/** A filled mark for relevant documents, a hollow one for those judged not to be. */
export function Judged({ level }: { readonly level: number | undefined }) {
  if (level === undefined) return <span class="judged" />;
  const says = level > 0 ? `relevant, level ${level}` : 'judged not relevant';
  return (
    <span class={`judged ${level > 0 ? 'yes' : 'no'}`} title={says}>
      <span class="visually-hidden">{says}, </span>
    </span>
  );
}
