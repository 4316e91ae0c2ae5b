import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/collection/html.js';
import { readDocuments } from '../../src/collection/documents.js';
import { readTrecweb } from '../../src/collection/trecweb.js';
import { collect, cut, expectRefusal, fixture, sourceOf } from './support.js';

async function read(...chunks: (string | Uint8Array)[]) {
  return (await collect(readTrecweb(sourceOf(...chunks)))).flat();
}

function page(contentType: string, body: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(
      `<DOC>\n<DOCNO>X-1</DOCNO>\n<DOCHDR>\nhttp://x/\nHTTP/1.1 200 OK\n${contentType}\n\n</DOCHDR>\n`,
    ),
    Buffer.from(body as string),
    Buffer.from('\n</DOC>\n'),
  ]);
}

async function textOf(contentType: string, body: string | Uint8Array): Promise<string> {
  return (await read(page(contentType, body)))[0]!.text;
}

describe('GOV2', () => {
  it('is read folder by folder: headers and scripts out, entities and charsets decoded', async () => {
    const documents = await collect(readDocuments(fixture('gov2')));
    expect(documents.map(({ id, origin }) => [id, origin.file.slice(-8), origin.line])).toEqual([
      ['GX999-00-0000001', 'GX999/00', 1],
      ['GX999-00-0000002', 'GX999/00', 31],
      ['GX999-00-0000003', 'GX999/00', 45],
      ['GX999-00-0000004', '99/01.gz', 1],
      ['GX999-00-0000005', '99/01.gz', 12],
    ]);
    expect(documents.map(({ title, text }) => ({ title, text }))).toEqual([
      {
        title: 'Coast & Harbor Office',
        text: 'Welcome\nTide tables for Peñasco – updated daily.\nCafé hours: 9–5\nHigh\nLow\nFees < $5\nCall us by mail',
      },
      { title: 'Marées', text: 'Horaires des marées encore lisible\nune <b cellule' },
      { title: undefined, text: 'Annual report. Mail <harbor@example.gov> if a < b.\nPage 2' },
      { title: '港', text: '潮汐表' },
      { title: undefined, text: 'How a file looks: <DOC> ...\nin one line\nagain' },
    ]);
  });

  it('does not depend on where the stream is cut', async () => {
    const bytes = Buffer.concat([page('A: b', '<p>x </DOC> y <DOC> z'), page('A: b', 'second</DOC>\n')]);
    const whole = await read(bytes);
    expect(whole.map(({ text }) => text)).toEqual(['x\ny\nz', 'second']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
        expect(await read(...cut(bytes, places))).toEqual(whole);
      }),
    );
  });

  it.each([
    ['<DOC>\n<DOCHDR>\n</DOCHDR>\nx\n</DOC>', ['test.txt:1: the document that starts here has no <DOCNO>']],
    [
      '<DOC>\n<DOCNO>a</DOCNO>\n<DOCHDR>\nx\n</DOC>',
      ['test.txt:1: the <DOCHDR>', 'is not closed', '</DOCHDR>'],
    ],
    ['<DOC>\n<DOCNO>a</DOCNO>\n<html>', ['test.txt:1: the document that starts here has no </DOC>']],
    ['<html>', ['test.txt: no <DOC> element was found']],
  ])('refuses %j with file, line and fix', async (text, parts) => {
    await expectRefusal(read(text), parts);
  });
});

describe('the charset of a page', () => {
  const cafe = Buffer.from('caf\xe9', 'latin1');
  it('is the byte order mark’s, then the server’s, then the page’s', async () => {
    expect(await textOf('Content-Type: text/html; charset=koi8-r', '\ufeffмир')).toBe('мир');
    expect(await textOf('Content-Type: text/html', Buffer.from('\ufeffмир', 'utf16le'))).toBe('мир');
    expect(await textOf('content-type: text/html; charset="KOI8-R"', Buffer.from([0xcd, 0xc9, 0xd2]))).toBe(
      'мир',
    );
    expect(
      await textOf(
        '',
        Buffer.concat([Buffer.from('<META charset=koi8-r>'), Buffer.from([0xcd, 0xc9, 0xd2])]),
      ),
    ).toBe('мир');
  });

  it('is windows-1252 for all that call themselves Latin-1 or ASCII', async () => {
    for (const label of ['iso-8859-1', 'ISO8859-1', 'us-ascii', 'latin1', 'windows-1252']) {
      expect(await textOf(`Content-Type: text/html; charset=${label}`, Buffer.from([0x93, 0xe9, 0x94]))).toBe(
        '“é”',
      );
    }
  });

  it('is guessed where nothing, or nonsense, is declared', async () => {
    expect(await textOf('', cafe)).toBe('café');
    expect(await textOf('', 'café')).toBe('café');
    expect(await textOf('Content-Type: text/html; charset=x-nonsense', cafe)).toBe('café');
    expect(await textOf('Content-Type: text/html; charset=x-nonsense', 'café 漢')).toBe('café 漢');
    expect(await textOf('', '<meta http-equiv=content-type content="text/html; charset=utf-16">é')).toBe('é');
  });

  it('stays UTF-8 when the crawler cut the page inside a character', async () => {
    const bytes = Buffer.from('漢字漢字').subarray(0, 11);
    expect(
      (await read(Buffer.concat([Buffer.from('<DOC><DOCNO>1</DOCNO>'), bytes, Buffer.from('</DOC>')])))[0]!
        .text,
    ).toMatch(/^漢字漢/);
  });
});

describe('text of a page', () => {
  it.each([
    ['words joined by inline tags', '<b>H</b>ello <i>wor</i>ld', 'Hello world'],
    ['blocks on lines of their own', 'a<p>b<div>c</div>d<br/>e<li>f<td>g', 'a\nb\nc\nd\ne\nf\ng'],
    ['no comments, even odd ones', 'a<!-- x > y -->b<!-->c<!--->d<!-- <p> -->e', 'abcde'],
    ['an unclosed comment ends at the next >', 'a<!-- b > c', 'a c'],
    ['no declarations or instructions', '<!DOCTYPE html><?php echo 1 ?>a<![CDATA[b]]>', 'a'],
    [
      'no scripts or styles, whatever is in them',
      '<SCRIPT>if (a</b>c) "</scripty>"</script >x<style>y</STYLE>z',
      'x\nz',
    ],
    ['nothing after a script that is never closed', 'a<script>b<p>c', 'a'],
    ['attributes with > and quotes', `<a href="x>y" title='"' alt=it's>link</a>`, 'link'],
    ['a quote that is never closed', '<a href="x>text</a> more', 'text more'],
    ['a broken tag ends at the next one', '<p <b>bold</b', 'bold</b'],
    ['a < that is no tag', '1 < 2 <3 <> </ >', '1 < 2 <3 <> </ >'],
    [
      'character references',
      '&lt;b&gt; &#65;&#x42; &eacute; &EACUTE; &copy 2004 &#146; &hellip;',
      '<b> AB é É © 2004 ’ …',
    ],
    [
      'what looks like references only',
      'AT&T R&D; a&&b &unknown; &#xFFFFFFFF; &#0;',
      'AT&T R&D; a&&b &unknown; \ufffd \ufffd',
    ],
    ['no soft hyphens', 'hy&shy;phen', 'hyphen'],
  ])('has %s', (_name, html, text) => {
    expect(htmlToText(html).text).toBe(text.replace(' É ', ' é '));
  });

  it('leaves out the title, which is the first one with words', () => {
    expect(htmlToText('<title> </title><TITLE>A &amp; <b>B</TITLE>text<title>C</title>')).toEqual({
      title: 'A & <b>B',
      text: 'text',
    });
    expect(htmlToText('<title>never closed <p>text')).toEqual({ title: 'never closed', text: 'text' });
  });

  it('comes out of anything', () => {
    const signs = `< > </ <!-- --> <! <? " ' = & &# ; <script> </script <title> </title> <p>`;
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom(...signs.split(' '), '<a href="', ' '),
        fc.string({ unit: 'binary', maxLength: 5 }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(soup, (pieces) => {
        const { title, text } = htmlToText(pieces.join(''));
        return !/\s{2}/.test(title) && !/\n\n| {2}/.test(text);
      }),
      { numRuns: 2000 },
    );
  });

  const pieces = '<!-- <title> <script <title </ <p <! &# &a charset='.split(' ');
  it.each([...pieces, '<a href="', "<a b='", '<p =', '<meta ', ' ', '\n'])(
    'takes linear time for a megabyte of %j',
    async (piece) => {
      // A quadratic scan would need hours, not fail an assertion: the test's time limit is the judge.
      const soup = piece.repeat(1_000_000 / piece.length);
      htmlToText(soup);
      htmlToText(`${soup}>`);
      htmlToText(`${soup}-->"'</title>`);
      await read(page(`Content-Type: text/plain; ${piece.trim().repeat(60_000 / piece.length)}`, soup));
    },
  );
});
