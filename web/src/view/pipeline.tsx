import type { VariantDescription } from '../model/answer.js';
import { formatCount, formatFlops, formatMilliseconds } from '../model/format.js';
import type { SearchState } from '../state/use-search.js';
import { phaseNames } from './phase-names.js';

interface Props {
  readonly search: Extract<SearchState, { readonly state: 'running' | 'done' }>;
  readonly variant: VariantDescription | undefined;
}

/** The phases as stations: how far they are while they run, and what each cost when they are done. */
export function Pipeline({ search, variant }: Props) {
  const stations = search.state === 'done' ? finished(search.answer, variant) : underWay(search, variant);
  const current = stations.find(({ state }) => state === 'running');
  const total =
    search.state === 'done'
      ? {
          time: formatMilliseconds(search.answer.milliseconds.total),
          flops: formatFlops(search.answer.cost.flops),
        }
      : { time: 'running', flops: '' };
  return (
    <section class="pipeline" aria-label="What the search went through">
      <ol>
        {stations.map(({ key, name, detail, model, figure, flops, done, state }) => (
          <li key={key} class={`station ${state} ${key}`}>
            <span class="track" aria-hidden="true">
              <i style={{ transform: `scaleX(${done})` }} />
            </span>
            <b>{name}</b>
            <span class="detail">
              {detail}
              {model && <em>{model}</em>}
            </span>
            <span class="figure">{figure}</span>
            <span class="flops">{flops}</span>
          </li>
        ))}
        <li class="station total">
          <span class="track" aria-hidden="true" />
          <b>Altogether</b>
          <span class="detail">{variant?.name ?? ''}</span>
          <span class="figure">{total.time}</span>
          <span class="flops">{total.flops}</span>
        </li>
      </ol>
      <p class="visually-hidden" role="status">
        {search.state === 'done'
          ? `Done in ${total.time}`
          : current
            ? `${current.name} is running`
            : 'Searching'}
      </p>
    </section>
  );
}

interface Station {
  readonly key: string;
  readonly name: string;
  readonly detail: string;
  readonly model?: string | undefined;
  readonly figure: string;
  readonly flops?: string;
  /** Between 0 and 1. */
  readonly done: number;
  readonly state: 'waiting' | 'running' | 'done' | 'skipped';
}

const initialStation = { key: 'initial', name: 'Initial ranking' } as const;

function underWay(
  { initial, progress }: Extract<SearchState, { readonly state: 'running' }>,
  variant: VariantDescription | undefined,
): Station[] {
  const last = progress[0]?.phase;
  return [
    {
      ...initialStation,
      detail: initial ? (initial.firstStage ?? 'as they came') : 'looking',
      figure: initial ? formatCount(initial.results.length, 'document') : '',
      done: initial ? 1 : 0,
      state: initial ? 'done' : 'running',
    },
    ...phaseNames.map(({ phase, name, asks }): Station => {
      const model = variant?.models[phase]?.model;
      const own = progress.find((one) => one.phase === phase);
      const isRunning = phase === last;
      return {
        key: phase,
        name,
        detail: asks,
        model,
        figure: own ? `${own.pairs.toLocaleString('en')} / ${formatCount(own.total, 'pair')}` : '',
        done: own ? (own.total === 0 ? 1 : own.pairs / own.total) : 0,
        state: variant && !model ? 'skipped' : isRunning ? 'running' : own ? 'done' : 'waiting',
      };
    }),
  ];
}

function finished(
  { results, firstStage, cost, milliseconds }: Extract<SearchState, { readonly state: 'done' }>['answer'],
  variant: VariantDescription | undefined,
): Station[] {
  return [
    {
      ...initialStation,
      detail: `${firstStage ?? 'as they came'}, ${formatCount(results.length, 'document')}`,
      figure: firstStage === null ? '' : formatMilliseconds(milliseconds.retrieval),
      done: 1,
      state: 'done',
    },
    ...phaseNames.map(({ phase, name }): Station => {
      const { pairs, seconds, flops } = cost[phase];
      return {
        key: phase,
        name,
        detail: pairs === 0 ? 'nothing to do' : formatCount(pairs, 'pair'),
        model: variant?.models[phase]?.model,
        figure: pairs === 0 ? '' : formatMilliseconds(1000 * seconds),
        flops: pairs === 0 ? '' : formatFlops(flops),
        done: pairs === 0 ? 0 : 1,
        state: pairs === 0 ? 'skipped' : 'done',
      };
    }),
  ];
}
