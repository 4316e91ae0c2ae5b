import { describe, expect, test } from 'vitest';
import { nextHop } from '../../../src/bert/hub/client.js';

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
