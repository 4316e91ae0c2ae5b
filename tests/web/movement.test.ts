import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkPath, middleOf, movement, rowHeight, sayMovement } from '../../web/src/model/movement.js';

const rank = fc.integer({ min: 1, max: 1000 });

describe('movement', () => {
  it('is up towards the first place', () => {
    expect(movement(12, 3)).toEqual({ direction: 'up', places: 9 });
    expect(movement(1, 2)).toEqual({ direction: 'down', places: 1 });
    expect(movement(4, 4)).toEqual({ direction: 'same', places: 0 });
  });

  it('is said in words', () => {
    expect(sayMovement(movement(2, 1))).toBe('up 1 place');
    expect(sayMovement(movement(1, 4))).toBe('down 3 places');
    expect(sayMovement(movement(7, 7))).toBe('same place');
  });
});

describe('the lines between two columns', () => {
  it('begin and end in the middle of the places they join, level', () => {
    fc.assert(
      fc.property(rank, rank, (from, to) => {
        const numbers = linkPath(from, to, 64)
          .match(/-?\d+(\.\d+)?/g)!
          .map(Number);
        const [startX, startY, firstX, firstY, secondX, secondY, endX, endY] = numbers;
        expect([startX, startY]).toEqual([0, middleOf(from)]);
        expect([endX, endY]).toEqual([64, middleOf(to)]);
        // Level at both ends: the control points are on the height of theirs.
        expect([firstY, secondY]).toEqual([startY, endY]);
        expect(firstX).toBeGreaterThan(0);
        expect(secondX).toBeLessThan(64);
      }),
    );
  });

  it('lie a row apart for neighbours', () => {
    fc.assert(fc.property(rank, (place) => middleOf(place + 1) - middleOf(place) === rowHeight));
    expect(middleOf(1)).toBe(rowHeight / 2);
  });
});
