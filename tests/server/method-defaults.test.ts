import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../src/expansion/index.js';
import { MethodDefaults } from '../../src/server/method-defaults.js';

describe('the method of requests', () => {
  const defaults = new MethodDefaults({ kd: 7, kc: 2 });

  it('is the server’s for requests that set nothing, with the expansion of their variant', () => {
    expect(settingsFrom(defaults.with(undefined, false))).toMatchObject({ kd: 7, kc: 2, expansion: false });
    expect(settingsFrom(defaults.with(undefined, true))).toMatchObject({ kd: 7, kc: 2, expansion: true });
  });

  it('is what a request sets, and for the rest the server’s', () => {
    expect(settingsFrom(defaults.with({ kc: 4 }, true))).toMatchObject({ kd: 7, kc: 4, expansion: true });
    expect(settingsFrom(defaults.with({ expansion: true }, false)).expansion).toBe(false);
    expect(settingsFrom(defaults.with(undefined, true)).kc).toBe(2);
  });

  it('re-ranks every document that a request sends', () => {
    expect(defaults.with({ depth: 3 }, true).depth).toBe(Number.MAX_SAFE_INTEGER);
  });
});
