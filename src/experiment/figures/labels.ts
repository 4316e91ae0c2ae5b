import type { Frame } from '../../common/plot/axes.js';

interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

interface PlacedLabel extends LabelledPoint {
  readonly textX: number;
  readonly textY: number;
  readonly anchor: 'start' | 'end' | 'middle';
}

const letterWidth = 6.4;
const reach = 10;

/** Places every label beside its point where it overlaps the least: right, left, above or below, or shifted. */
export function placeLabels(points: readonly LabelledPoint[], bounds: Frame): PlacedLabel[] {
  const taken: Frame[] = points.map(({ x, y }) => ({ left: x - 7, top: y - 7, right: x + 7, bottom: y + 7 }));
  return points.map((point) => {
    const options = [0, 14, -14, 28, -28, 42, -42].flatMap((shift) => placements(point, shift));
    const rated = options.map((option) => ({ option, cost: costOf(option.box, taken, bounds) }));
    const { option } = rated.reduce((best, other) => (other.cost < best.cost ? other : best));
    taken.push(option.box);
    return option.placed;
  });
}

function placements(point: LabelledPoint, shift: number): { placed: PlacedLabel; box: Frame }[] {
  const width = point.label.length * letterWidth;
  const at = (textX: number, textY: number, anchor: PlacedLabel['anchor']) => {
    const left = anchor === 'start' ? textX : anchor === 'end' ? textX - width : textX - width / 2;
    return {
      placed: { ...point, textX, textY, anchor },
      box: { left, top: textY - 10, right: left + width, bottom: textY + 3 },
    };
  };
  const { x, y } = point;
  const beside = [at(x + reach, y + 4 + shift, 'start'), at(x - reach, y + 4 + shift, 'end')];
  return shift === 0 ? [...beside, at(x, y - reach, 'middle'), at(x, y + reach + 10, 'middle')] : beside;
}

/** The overlap of a label with others, in area; the part outside of the bounds counts three times. */
function costOf(box: Frame, taken: readonly Frame[], bounds: Frame): number {
  const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
  const area = (box.right - box.left) * (box.bottom - box.top);
  return covered + 3 * (area - overlap(box, bounds));
}

function overlap(a: Frame, b: Frame): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}
