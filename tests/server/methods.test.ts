import { describe, expect, it } from 'vitest';
import { Methods } from '../../src/server/methods.js';

describe('the method of requests', () => {
  const methods = new Methods({ kd: 7, kc: 2 });

  it('is the same object for all that set nothing', () => {
    expect(methods.of(false, undefined)).toBe(methods.of(false, undefined));
    expect(methods.of(false, undefined)).toMatchObject({ kd: 7, kc: 2, expansion: false });
    expect(methods.of(true, undefined)).toMatchObject({ kd: 7, kc: 2, expansion: true });
  });

  it('is what a request sets, and the rest the server’s', () => {
    expect(methods.of(true, { kc: 4 })).toMatchObject({ kd: 7, kc: 4, expansion: true });
    expect(methods.of(false, { expansion: true }).expansion).toBe(false);
  });
});
