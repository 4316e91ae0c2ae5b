import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../src/collection/documents.js';
import { readTrec } from '../../src/collection/trec.js';
import { collect, cut, expectRefusal, fixture, sourceOf } from './support.js';

async function read(...chunks: (string | Uint8Array)[]) {
  return (await collect(readTrec(sourceOf(...chunks)))).flat();
}

async function documentsById(path: string) {
  const documents = await collect(readDocuments(fixture(path), { format: 'trec' }));
  return new Map(documents.map((document) => [document.id, document]));
}

describe('the four Robust04 sources', () => {
  it('FBIS: titles from <TI> inside <H3>, text without the header, Latin-1 letters', async () => {
    const documents = await documentsById('robust04/disk5/FBIS/FB396099');
    expect([...documents.keys()]).toEqual(['FBIS3-90001', 'FBIS3-90002']);
    const first = documents.get('FBIS3-90001')!;
    expect(first.title).toBe('NORTHERN ISLANDS: HARBOR PILOTS ASK FOR RADAR & LIGHTS');
    expect(first.text).toBe(
      'Summary: Pilots of two harbors have asked the port office for radar, after a ferry ran aground in fog. ' +
        'The newspaper says the price would be <2 million> crowns.\nFigure of the harbor\n' +
        '(AUTHOR: Desk. QUESTIONS, CALL THE DESK)',
    );
    expect(first.origin.line).toBe(2);
    const second = documents.get('FBIS3-90002')!;
    expect(second.title).toBe('Council Adopts Amended Fishing Charter');
    expect(second.text).toBe(
      'Language:\nSpanish\nArticle Type:BFN\n[Report by J. Peña]\n[Text] Porto Nuevo, 19 Mar (RADIO) -- The council of ' +
        'the coast towns adopted the amended charter by 12 votes to 3.',
    );
    expect(second.origin.line).toBe(30);
  });

  it('Financial Times: <HEADLINE>, and an article without <TEXT>', async () => {
    const documents = await documentsById('robust04/disk4/FT/FT911/FT911_99');
    expect(documents.get('FT911-90001')).toMatchObject({
      title: 'FT 14 MAY 91 / World News in Brief: Bridge reopened',
      text:
        'The road bridge over the lower estuary was reopened after repairs that cost Pounds 3.1m. The opening was ' +
        'delayed by storms.',
    });
    expect(documents.get('FT911-90002')).toMatchObject({
      title: 'FT 14 MAY 91 / UK Company News: Chart only',
      text: '',
    });
  });

  it('Federal Register: comments out, entities decoded, nested tags, two <TEXT>s, no title', async () => {
    const documents = await documentsById('robust04/disk4/FR94/01/FR940199.0');
    const first = documents.get('FR940199-0-90001')!;
    expect(first.title).toBeUndefined();
    expect(first.text).toBe('Federal Register / Vol. 59, No. 99 / Rules and Regulations');
    expect(documents.get('FR940199-0-90002')!.text.split('\n')).toEqual([
      'DEPARTMENT OF EXAMPLES',
      '7 CFR Part 999',
      'Pears Grown Indoors; Long-Term Storage',
      'SUMMARY: This rule amends § 999.4 and ¶2 for growers in Peñasco & nearby.',
      'Table 1.-Rates',
      '1992 ○4.5 percent',
      '1',
      'See appendix.',
      'BILLING CODE 9999-02-P',
      'Continued in a second part.',
    ]);
  });

  it('LA Times: <HEADLINE> with <P>s, tables, and a document of a photo only', async () => {
    const documents = await documentsById('robust04/disk5/LATIMES/LA010199');
    expect(documents.get('LA010199-9001')).toMatchObject({
      title: 'GARDENS OF THE DRY COAST; A SECOND LOOK',
      text: 'Succulents need little water.\nGravel keeps the roots dry.\nAgave\n40 cm',
    });
    const photo = documents.get('LA010199-9002')!;
    expect(photo.title).toBeUndefined();
    expect(photo.text).toBe('');
  });
});

describe('TREC documents', () => {
  it('without <TEXT> are what stands loose in them', async () => {
    const [document] = await read(
      '<DOC>\n<DOCNO>1</DOCNO>\ncompact memories <DATE>1960</DATE> have\nflexible\n</DOC>\n',
    );
    expect(document).toMatchObject({ id: '1', text: 'compact memories\nhave flexible' });
  });

  it('may be in lower case, on one line, and apart from each other', async () => {
    const documents = await read(
      'junk <doc><docno>a</docno><text>x</text></doc> between <DOC><DOCNO>b</DOCNO><TEXT>y</TEXT></DOC>after',
    );
    expect(documents.map(({ id, text }) => [id, text])).toEqual([
      ['a', 'x'],
      ['b', 'y'],
    ]);
  });

  it('do not depend on where the stream is cut', async () => {
    const text =
      '<DOC>\n<DOCNO> 1 </DOCNO>\n<TEXT>one <b>\n</TEXT>\n</DOC>\n\n<DOC>\n<DOCNO>2</DOCNO>\n<TEXT>é</TEXT></DOC>\n';
    const whole = await read(text);
    expect(whole.map(({ id, text, origin }) => [id, text, origin.line])).toEqual([
      ['1', 'one', 1],
      ['2', 'é', 7],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
        expect(await read(...cut(Buffer.from(text), places))).toEqual(whole);
      }),
    );
  });

  it('survive titles and elements that are never closed, and stray closing tags', async () => {
    const [document] = await read(
      '<DOC><DOCNO>1</DOCNO><HEADLINE>Title <TEXT></P>Body <F P=1>a < b & c</TEXT><NOTE>no</DOC>',
    );
    expect(document).toMatchObject({ id: '1', title: 'Title', text: 'Body\na < b & c' });
  });

  it('in windows-1252 keep their quotation marks', async () => {
    const bytes = Buffer.from('<DOC><DOCNO>1</DOCNO><TEXT>\x93a\x94 \x80 caf\xe9</TEXT></DOC>', 'latin1');
    expect((await read(bytes))[0]!.text).toBe('“a” € café');
  });

  it('of an empty file are none', async () => {
    expect(await read('')).toEqual([]);
    expect(await read(' \n')).toEqual([]);
  });

  it.each([
    [
      '<DOC>\n<TEXT>x</TEXT>\n</DOC>',
      ['test.txt:1: the document that starts here has no <DOCNO>', 'right after <DOC>'],
    ],
    ['\n<DOC><DOCNO> </DOCNO></DOC>', ['test.txt:2: the document id is empty']],
    ['<DOC><DOCNO>a b</DOCNO></DOC>', ['test.txt:1: the document id "a b" contains white space']],
    [
      '<DOC><DOCNO>a</DOCNO></DOC>\n\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>cut',
      ['test.txt:3: the document that starts here has no </DOC>', 'cut off or damaged', 'Get the file again'],
    ],
    [
      '<DOC>\n<DOCNO>a</DOCNO>\n<DOC>\n<DOCNO>b</DOCNO>\n</DOC>',
      ['test.txt:1: the document that starts here has two <DOCNO>s', 'End the first document with </DOC>'],
    ],
    ['{"_id": "1", "text": "x"}', ['test.txt: no <DOC> element was found', '--format (beir, jsonl, tsv)']],
  ])('refuse %j with file, line and fix', async (text, parts) => {
    await expectRefusal(read(text), parts);
  });
});
