/** The paper's marks: *** p < .01, ** p < .05, * p < .1. */
export type Star = '' | '*' | '**' | '***';

export const STAR_LEGEND = '*** p < .01, ** p < .05, * p < .1';

export function starOf(p: number): Star {
  if (p < 0.01) return '***';
  if (p < 0.05) return '**';
  return p < 0.1 ? '*' : '';
}
