import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** As long as the lines take, which style/ranking.css moves. */
const glide = { duration: 260, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

/**
 * Lets the children of a list move to their new places instead of jumping: each begins where it was seen last, also
 * in the middle of another move. Children are told apart by `data-id`.
 */
export function useGlide(order: readonly string[]): RefObject<HTMLOListElement | null> {
  const list = useRef<HTMLOListElement>(null);
  const tops = useRef(new Map<string, number>());
  const key = order.join('\n');
  useLayoutEffect(() => {
    const before = tops.current;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    tops.current = new Map();
    for (const child of list.current?.children ?? []) {
      if (!(child instanceof HTMLElement)) continue;
      const id = child.dataset.id!;
      const top = child.offsetTop;
      tops.current.set(id, top);
      const old = before.get(id);
      if (old === undefined || old === top || isCalm) continue;
      const offset = old - top + currentShift(child);
      for (const animation of child.getAnimations()) animation.cancel();
      child.animate([{ transform: `translateY(${offset}px)` }, { transform: 'none' }], glide);
    }
  }, [key]);
  return list;
}

function currentShift(element: HTMLElement): number {
  const { transform } = getComputedStyle(element);
  return transform === 'none' ? 0 : new DOMMatrix(transform).m42;
}
