import { describe, expect, it } from 'vitest';
import { Access, ApiKeys, isLocalHost } from '../../src/server/http/index.js';

const accessFor = (origin: string) =>
  new Access({ keys: new ApiKeys([]), isLocal: true, trustProxy: false, cors: [origin] });

describe('keys and hosts', () => {
  it('gives the owner of a key a name that does not tell the key', () => {
    const keys = new ApiKeys(['one', 'two']);
    const owner = keys.owner('Bearer one');
    expect(owner).toMatch(/^key:[\da-f]{12}$/);
    expect(keys.owner('Bearer two')).not.toBe(owner);
    expect(keys.owner('Bearer three')).toBeUndefined();
    expect(keys.owner(undefined)).toBeUndefined();
    expect(new ApiKeys([]).owner('Bearer ')).toBeUndefined();
  });

  it('refuses keys that no request could send', () => {
    for (const key of ['', 'two words', 'a\tb', 'schlüssel']) {
      expect(() => new ApiKeys(['one', key])).toThrow('An API key has spaces or other characters');
    }
  });

  it('refuses what is no origin of pages, which would never be allowed', () => {
    for (const origin of [
      'app.example',
      'https://app.example/',
      'https://a.example, https://b.example',
      '',
    ]) {
      expect(() => accessFor(origin)).toThrow('is not an origin of pages');
    }
    for (const origin of [
      '*',
      'null',
      'https://app.example:8443',
      'http://[::1]:80',
      'moz-extension://a-b',
    ]) {
      expect(() => accessFor(origin)).not.toThrow();
    }
  });

  it('knows the names of this machine', () => {
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:80', '127.1.2.3', '[::1]:9000']) {
      expect(isLocalHost(host)).toBe(true);
    }
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', '', undefined]) {
      expect(isLocalHost(host)).toBe(false);
    }
  });
});
