import { describe, expect, test } from 'vitest';
import { nextHop } from '../../../src/bert/hub/client.js';
import { parseRetryAfter } from '../../../src/bert/hub/retry.js';

function redirect(location?: string): Response {
  return new Response(null, { status: 302, ...(location && { headers: { location } }) });
}

describe('a redirect', () => {
  test('is followed relative to where it came from', () => {
    expect(nextHop(redirect('../x?y=1'), new URL('https://hub.test/a/b/c')).href).toBe(
      'https://hub.test/a/x?y=1',
    );
    expect(nextHop(redirect('https://cdn.test/z'), new URL('https://hub.test/a')).href).toBe(
      'https://cdn.test/z',
    );
  });

  test('from https to http is refused', () => {
    expect(() => nextHop(redirect('http://cdn.test/z'), new URL('https://hub.test/a'))).toThrow(
      'from https to http:',
    );
  });

  test('to nowhere is refused', () => {
    expect(() => nextHop(redirect(), new URL('https://hub.test/a'))).toThrow('a redirect (302) to nowhere');
  });
});

describe('Retry-After', () => {
  test('is read as seconds or as a date', () => {
    const now = Date.parse('2024-01-01T00:00:00Z');
    expect(parseRetryAfter('7', now)).toBe(7000);
    expect(parseRetryAfter('Mon, 01 Jan 2024 00:00:30 GMT', now)).toBe(30_000);
    expect(parseRetryAfter('Sun, 31 Dec 2023 00:00:00 GMT', now)).toBe(0);
    expect(parseRetryAfter('soon', now)).toBeUndefined();
    expect(parseRetryAfter(null, now)).toBeUndefined();
  });
});
