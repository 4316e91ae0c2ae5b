import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities } from '../../src/collection/entities.js';

describe('character references', () => {
  it.each([
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['caf&eacute; &Eacute;&ccedil; &Omega;&omega; &AMP;', 'café Éç Ωω &'],
    ['&#233;&#xe9;&#XE9;&#0233; &#8364;', 'éééé €'],
    ['&#128;&#150;&#x99;', '€–™'],
    ['&nbsp;a&ensp;b&blank;c', '\u00a0a b c'],
    ['long&hyph;term &sect; &para; &cir; &half;', 'long-term § ¶ ○ ½'],
    ['hy&shy;phen zero&zwnj;width', 'hyphen zerowidth'],
    ['&copy 2004, &eacute, &nbsp', '© 2004, é, \u00a0'],
    ['&alpha 1', '&alpha 1'],
    ['&#0;&#xD800;&#x110000;&#99999999999999999999;', '\ufffd\ufffd\ufffd\ufffd'],
    ['AT&T, a && b, &; &#; &#x; &#xg; & &', 'AT&T, a && b, &; &#; &#x; &#xg; & &'],
    ['&amp;amp; &amp;lt;', '&amp; &lt;'],
    ['&lt&gt&lt;', '<><'],
  ])('in %j are decoded', (text, decoded) => {
    expect(decodeEntities(text)).toBe(decoded);
  });

  it('that nobody knows stay in pages and go from SGML', () => {
    expect(decodeEntities('a &nosuch; b &nosuch c &1;')).toBe('a &nosuch; b &nosuch c &1;');
    expect(decodeEntities('a &nosuch; b &nosuch c &1;', 'drop')).toBe('a  b &nosuch c &1;');
  });

  it('written as numbers come back for every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // NUL has no reference, and 128 to 159 mean what they are in windows-1252.
        const plain = [...text]
          .filter((char) => char > '\u009f' || (char > '\0' && char < '\u0080'))
          .join('');
        const written = [...plain].map((char) => `&#x${char.codePointAt(0)!.toString(16)};`).join('');
        expect(decodeEntities(written)).toBe(plain);
      }),
    );
  });
});
