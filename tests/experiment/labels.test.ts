import { expect, test } from 'vitest';
import { placeLabels } from '../../src/experiment/figures/labels.js';

test('labels of points that lie together do not cover each other', () => {
  const points = ['TTT', 'TST', 'STT', 'SST'].map((label, i) => ({ label, x: 200 + i, y: 100 + i }));
  const placed = placeLabels(points, { left: 0, top: 0, right: 400, bottom: 200 });
  const boxes = placed.map(({ textX, textY, anchor, label }) => {
    const width = label.length * 6.4;
    const left = anchor === 'start' ? textX : anchor === 'end' ? textX - width : textX - width / 2;
    return { left, right: left + width, top: textY - 10, bottom: textY + 3 };
  });
  boxes.forEach((a, i) =>
    boxes
      .slice(i + 1)
      .forEach((b) =>
        expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true),
      ),
  );
});
