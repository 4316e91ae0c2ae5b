import { linkPath, movement, rowHeight } from '../model/movement.js';
import type { Listed } from '../model/rankings.js';

interface Props {
  readonly from: ReadonlyMap<string, number>;
  readonly to: ReadonlyMap<string, number>;
  readonly documents: ReadonlyMap<string, Listed>;
  /** The document whose way stands out. */
  readonly hot: string | undefined;
}

const width = 64;

/** Lines from the places of one ranking to those of the next. The places are in the lists; this is for eyes only. */
export function Links({ from, to, documents, hot }: Props) {
  const height = Math.max(from.size, to.size) * rowHeight;
  return (
    <div class="gap">
      <svg
        class={hot === undefined ? 'links' : 'links has-hot'}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {[...documents.values()].map(({ id, level }) => {
          const [start, end] = [from.get(id), to.get(id)];
          if (start === undefined || end === undefined) return null;
          const { direction, places } = movement(start, end);
          const marks = [
            direction,
            ...(places >= 5 ? ['far'] : []),
            ...((level ?? 0) > 0 ? ['relevant'] : []),
            ...(id === hot ? ['hot'] : []),
          ];
          return <path key={id} class={marks.join(' ')} d={linkPath(start, end, width)} />;
        })}
      </svg>
    </div>
  );
}
