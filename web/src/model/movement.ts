/** Pixels between two places of the drawn ranking; style/ranking.css has the same. */
export const rowHeight = 32;

export type Direction = 'up' | 'down' | 'same';

/** The movement of a document from one ranking to another. Up is towards the first place. */
export interface Movement {
  readonly direction: Direction;
  readonly places: number;
}

export function movement(from: number, to: number): Movement {
  const places = Math.abs(from - to);
  if (places === 0) return { direction: 'same', places };
  return { direction: to < from ? 'up' : 'down', places };
}

/** The middle of a place, from the top of the ranking. */
export function middleOf(rank: number): number {
  return (rank - 0.5) * rowHeight;
}

/**
 * The line from one column's place to the next one's: level where it leaves and where it arrives, so that lines can
 * be followed through the columns.
 */
export function linkPath(from: number, to: number, width: number): string {
  const [start, end, bend] = [middleOf(from), middleOf(to), width / 2];
  return `M0 ${start}C${bend} ${start} ${width - bend} ${end} ${width} ${end}`;
}

/** For people who do not see the arrow. */
export function sayMovement({ direction, places }: Movement): string {
  return direction === 'same' ? 'same place' : `${direction} ${places} ${places === 1 ? 'place' : 'places'}`;
}
