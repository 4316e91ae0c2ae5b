import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { placesIn, stages, type Listed, type Rankings, type Stage } from '../model/rankings.js';
import type { Measures } from '../model/measures.js';
import { formatCount } from '../model/format.js';
import { Links } from './links.js';
import { RankingColumn } from './ranking-column.js';

interface Props {
  readonly documents: ReadonlyMap<string, Listed>;
  readonly rankings: Rankings;
  readonly firstStage: string | null;
  /** The variant that made the final ranking. */
  readonly finalNote: string;
  /** M(q,d) by document. */
  readonly scores?: ReadonlyMap<string, number | null>;
  /** The measures of the rankings, where the query is judged. */
  readonly measures?: { readonly [S in Stage]?: Measures } | undefined;
  /** Documents of the collection that are judged relevant. */
  readonly relevant?: number | undefined;
  readonly opened?: string | undefined;
  readonly onOpen?: (id: string) => void;
  /** Places to keep free while rankings are still to come. */
  readonly expected?: number;
}

const titles: Readonly<Record<Stage, string>> = {
  initial: 'Initial',
  phase1: 'Phase one',
  final: 'Final',
};

/** The ranking in its three states, with a line for the way of every document; on narrow screens one state at a time. */
export function Ranking(props: Props) {
  const { documents, rankings, opened, expected = 0 } = props;
  const [stage, setStage] = useState<Stage>('final');
  const [hovered, setHovered] = useState<string>();
  const places = useMemo(
    () => ({
      initial: placesIn(rankings.initial ?? []),
      phase1: placesIn(rankings.phase1 ?? []),
      final: placesIn(rankings.final ?? []),
    }),
    [rankings.initial, rankings.phase1, rankings.final],
  );
  const shownStage = rankings[stage] ? stage : 'initial';
  const hot = hovered ?? opened;
  // Room for the measures is there before they are.
  const isJudged =
    props.relevant !== undefined || [...documents.values()].some(({ level }) => level !== undefined);
  const subtitles: Readonly<Record<Stage, string>> = {
    initial: props.firstStage ?? 'as the documents came',
    phase1: 'query × best passage',
    final: props.finalNote,
  };

  return (
    <section class="ranking" data-stage={shownStage} aria-label="The ranking in three states">
      <fieldset class="segments stage-switch">
        <legend class="visually-hidden">State of the ranking</legend>
        {stages.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="stage"
              checked={shownStage === one}
              disabled={!rankings[one]}
              onChange={() => setStage(one)}
            />
            <span>{titles[one]}</span>
          </label>
        ))}
      </fieldset>
      <p class="key">
        {props.relevant !== undefined && (
          <>
            <span>
              <i class="judged yes" /> relevant, {formatCount(props.relevant, 'document')} in all
            </span>
            <span>
              <i class="judged no" /> judged not relevant
            </span>
          </>
        )}
        <span class="way">
          <i class="up" /> rises
        </span>
        <span class="way">
          <i class="down" /> falls
        </span>
      </p>
      <div class={isJudged ? 'columns judged-query' : 'columns'} onPointerLeave={() => setHovered(undefined)}>
        {stages.map((one, i) => (
          <Fragment key={one}>
            {i > 0 && <Links from={places[stages[i - 1]]} to={places[one]} documents={documents} hot={hot} />}
            <RankingColumn
              stage={one}
              title={titles[one]}
              subtitle={subtitles[one]}
              order={rankings[one]}
              documents={documents}
              initialPlaces={places.initial}
              measures={props.measures?.[one]}
              baseline={one === 'final' ? props.measures?.initial : undefined}
              scores={one === 'final' ? props.scores : undefined}
              hot={hot}
              opened={opened}
              expected={expected}
              onHover={setHovered}
              onOpen={props.onOpen}
            />
          </Fragment>
        ))}
      </div>
    </section>
  );
}
