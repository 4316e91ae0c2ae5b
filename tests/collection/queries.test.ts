import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readQueries } from '../../src/collection/index.js';
import { expectRefusal, scratchFolder } from './support.js';

const scratch = scratchFolder();

const topics = `
<top>

<num> Number: 301 
<title> Harbor &amp; Tide Tables 

<desc> Description: 
Identify harbors whose tide
tables are published.

<narr> Narrative: 
Only <b>published</b> tables are relevant. R&D is not.

</top>

<top>
<num> Number: 302

<title>
pearl farming

<desc>
What of it?
</top>
`;

describe('TREC topics', () => {
  it('give the title, the description or both', async () => {
    const path = scratch('topics.txt', topics);
    expect(await readQueries(path)).toEqual([
      { id: '301', text: 'Harbor & Tide Tables' },
      { id: '302', text: 'pearl farming' },
    ]);
    expect(await readQueries(path, { field: 'desc' })).toEqual([
      { id: '301', text: 'Identify harbors whose tide tables are published.' },
      { id: '302', text: 'What of it?' },
    ]);
    expect((await readQueries(path, { field: 'title+desc' }))[1]).toEqual({
      id: '302',
      text: 'pearl farming What of it?',
    });
  });

  it('may be closed, in upper case, in Latin-1 and packed', async () => {
    const closed =
      '<TOP>\n<NUM>1</NUM>\n<TITLE>caf\xe9 <EM>x</EM></TITLE>\n</TOP>\n<TOP><NUM>2<NUM><TITLE>b</TOP>';
    await expectRefusal(readQueries(scratch('twice.txt', closed)), [
      'twice.txt:5: the topic that starts on line 5 has a second <num>',
    ]);
    const good = '<TOP>\n<NUM>1</NUM>\n<TITLE>Topic: caf\xe9</TITLE>\n</TOP>\n';
    expect(await readQueries(scratch('closed.gz', gzipSync(Buffer.from(good, 'latin1'))))).toEqual([
      { id: '1', text: 'café' },
    ]);
  });

  it.each([
    ['<top>\n<title> a\n</top>', ['bad.txt:1: the topic that starts here has no <num>', 'Number: 301']],
    [
      '\n<top>\n<num> Number: 1\n<title>\n</top>',
      ['bad.txt:2: the topic that starts here has no <title>', 'or an empty one'],
    ],
    ['<top><num>1 2<title>a</top>', ['bad.txt:1: the query id "1 2" contains white space']],
    ['<top><num>1<title>a\n<top><num>1<title>b', ['bad.txt:2: query id "1" was given before, on line 1']],
    ['<html>', ['bad.txt: no <top> element was found']],
  ])('are refused with file, line and fix: %j', async (text, parts) => {
    await expectRefusal(readQueries(scratch('bad.txt', text)), parts);
  });

  it('without the field that was asked for say so', async () => {
    const path = scratch('nodesc.txt', '<top><num>1<title>a</top>');
    await expectRefusal(readQueries(path, { field: 'desc' }), ['has no <desc>', 'another field than "desc"']);
  });
});

describe('queries by line', () => {
  it('are read from BEIR files and folders, the authors’ queries.json, TSV and CEDR’s TSV', async () => {
    const expected = [
      { id: '1', text: 'first query' },
      { id: 'q2', text: 'second' },
    ];
    const beir = scratch(
      'set/queries.jsonl',
      '{"_id": "1", "text": "first query", "metadata": {}}\n{"_id": "q2", "text": "second"}\n',
    );
    expect(await readQueries(beir)).toEqual(expected);
    expect(await readQueries(scratch('set'))).toEqual(expected);
    const authors = scratch(
      'queries.json',
      '{"qid": "1", "title": "first query", "desc": "D", "narr": "N"}\n{"qid": "q2", "title": "second", "desc": "E"}\n',
    );
    expect(await readQueries(authors)).toEqual(expected);
    expect((await readQueries(authors, { field: 'title+desc' }))[0]!.text).toBe('first query D');
    expect(await readQueries(scratch('queries.tsv', '1\tfirst query\nq2\tsecond\n'))).toEqual(expected);
    expect(
      await readQueries(scratch('cedr.tsv.gz', gzipSync('query\t1\tfirst query\r\nquery\tq2\tsecond\r\n'))),
    ).toEqual(expected);
  });

  it.each([
    ['no tab\n', ['bad:1: 2 columns (id, text)', 'id<tab>text']],
    ['1\ta\n\n1\tb\n', ['bad:3: query id "1" was given before, on line 1', 'an id of its own']],
    ['1\ta\n2\t \n', ['bad:2: query "2" has no text', 'remove the line']],
    ['{"_id": "1", "text": "a"}\n{"text": "b"}\n', ['bad:2: the query has no id', '"_id", "id", "qid"']],
    ['{"_id": "1"}\n', ['bad:1: none of the fields "text" is there']],
    ['{"qid": "1", "desc": "d"}\n', ['bad:1: none of the fields "title" is there']],
    ['{"_id": "1", "text": 3}\n', ['bad:1: "text" is a number']],
    ['{"_id": "1", "text"\n', ['bad:1: not valid JSON']],
  ])('are refused with file, line and fix: %j', async (text, parts) => {
    await expectRefusal(readQueries(scratch('bad', text)), parts);
  });

  it('that are missing from a folder say what was expected', async () => {
    scratch('noqueries/corpus.jsonl', '');
    await expectRefusal(
      readQueries(scratch('noqueries')),
      ['neither queries.jsonl nor queries.jsonl.gz'],
      'missing',
    );
  });
});
