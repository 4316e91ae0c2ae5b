import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from '../../web/src/model/events.js';
import {
  formatCount,
  formatFlops,
  formatMilliseconds,
  formatPercent,
  formatProbability,
  formatTimes,
} from '../../web/src/model/format.js';
import { decodedText, droppedText, pastedDocuments, withFiles } from '../../web/src/model/paste.js';
import { labelOf } from '../../web/src/model/rankings.js';

const texts = (pasted: string) => pastedDocuments(pasted).map(({ text }) => text);

describe('pasted documents', () => {
  it('are lines where there are no blank ones', () => {
    expect(texts('one\n two \nthree\n')).toEqual(['one', 'two', 'three']);
    expect(texts('one\r\ntwo')).toEqual(['one', 'two']);
  });

  it('are paragraphs where blank lines separate them', () => {
    expect(texts('first line\nsecond line\n\n  \n\nanother')).toEqual(['first line\nsecond line', 'another']);
  });

  it('are none in white space', () => expect(texts(' \n\n\t\n')).toEqual([]));

  it('keep their number and their titles, whatever files follow them', () => {
    const csv = { name: 'a.csv', text: 'title,text\nHive,Bees dance.\n' };
    const jsonl = { name: 'b.jsonl', text: '{"title":"Loaf","text":"Bread."}\n' };
    const plain = { name: 'c.txt', text: 'First paragraph,\nwhich goes on.\n\nSecond.' };
    const all = withFiles('One.\nTwo.', [csv, jsonl, plain]);
    expect(texts(all)).toEqual([
      'One.',
      'Two.',
      'Bees dance.',
      'Bread.',
      'First paragraph,\nwhich goes on.',
      'Second.',
    ]);
    expect(pastedDocuments(all)[2].title).toBe('Hive');
    expect(texts(withFiles('', [plain]))).toEqual(['First paragraph,\nwhich goes on.', 'Second.']);
  });
});

describe('server-sent events', () => {
  const text =
    ': still here\n\nevent: initial\ndata: {"firstStage":"DPH+KL – ü"}\n\n' +
    'event: progress\ndata: {"pairs":1}\n\nevent: result\ndata: line one\ndata: line two\n\n';
  const events = [
    { name: 'initial', data: '{"firstStage":"DPH+KL – ü"}' },
    { name: 'progress', data: '{"pairs":1}' },
    { name: 'result', data: 'line one\nline two' },
  ];

  it('are read wherever the network cuts them, letters in half included', async () => {
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        async function* pieces(): AsyncGenerator<Uint8Array> {
          const ends = [...cuts, bytes.length].sort((a, b) => a - b);
          let start = 0;
          for (const end of ends) {
            yield bytes.subarray(start, end);
            start = end;
          }
        }
        const read: ServerEvent[] = [];
        for await (const event of readEvents(pieces())) read.push(event);
        expect(read).toEqual(events);
      }),
    );
  });
});

describe('numbers', () => {
  it('have the unit that suits them', () => {
    expect(formatFlops(199_125_969_920)).toBe('199 GFLOPs');
    expect(formatFlops(5_997_861_273_600)).toBe('6.00 TFLOPs');
    expect(formatFlops(999_700)).toBe('1.00 MFLOPs');
    expect(formatMilliseconds(3.14)).toBe('3.1 ms');
    expect(formatMilliseconds(84.4)).toBe('84 ms');
    expect(formatMilliseconds(2507.8)).toBe('2.51 s');
    expect(formatTimes(0.0258)).toBe('0.0258×');
    expect(formatTimes(11.016)).toBe('11.0×');
    expect(formatCount(1, 'query', 'queries')).toBe('1 query');
    expect(formatCount(1200, 'document')).toBe('1,200 documents');
    expect(formatPercent(0.1209)).toBe('12.1 %');
  });

  it('never look certain where they are not', () => {
    expect(formatProbability(0.99999)).toBe('>0.999');
    expect(formatProbability(0.00001)).toBe('<0.001');
    expect(formatProbability(1)).toBe('1.000');
    expect(formatProbability(0)).toBe('0.000');
    expect(formatProbability(0.39156)).toBe('0.392');
  });
});

describe('the label of a document', () => {
  it('is its title, else its text, else its id', () => {
    expect(labelOf({ id: 'x', title: ' Jet lag ', text: 'Crossing' })).toBe('Jet lag');
    expect(labelOf({ id: 'x', title: '.', text: 'Crossing zones' })).toBe('Crossing zones');
    expect(labelOf({ id: 'x', text: ' ' })).toBe('x');
  });
});

describe('documents that are dropped', () => {
  it('are objects in lines, with their ids and titles', () => {
    const lines = '{"_id": "7", "title": "Bees", "text": "They dance."}\n\n{"text": "No id."}\n';
    expect(pastedDocuments(lines)).toEqual([
      { id: '7', title: 'Bees', text: 'They dance.' },
      { id: '2', text: 'No id.' },
    ]);
  });

  it('are texts where a line is no such object', () => {
    expect(texts('{"text": "a"}\n{broken')).toEqual(['{"text": "a"}', '{broken']);
  });

  it('are the rows of a table', () => {
    const csv = 'id;title;text\r\na-1;"Honey; bees";"They ""dance""\r\nin the hive"\r\n';
    expect(pastedDocuments(droppedText('notes.csv', csv))).toEqual([
      { id: 'a-1', title: 'Honey; bees', text: 'They "dance"\r\nin the hive' },
    ]);
    expect(() => droppedText('notes.csv', 'id,text\n1,"open')).toThrow('notes.csv:2: the record that starts');
  });

  it('have different ids, even where files number theirs alike', () => {
    const csv = 'text\nBees dance.\nBread.\n';
    const all = withFiles('A bridge.', [
      { name: 'a.csv', text: csv },
      { name: 'b.csv', text: csv },
    ]);
    expect(pastedDocuments(all).map(({ id }) => id)).toEqual(['1', '1 (2)', '2', '1 (3)', '2 (2)']);
  });

  it('are decoded as UTF-8 or windows-1252; files that are not text are refused', () => {
    expect(decodedText('a.txt', new TextEncoder().encode('\ufeffCafé'))).toBe('Café');
    expect(decodedText('a.csv', Uint8Array.of(67, 97, 102, 0xe9))).toBe('Café');
    expect(() => decodedText('paper.pdf', Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0))).toThrow(
      'paper.pdf is not a text file.',
    );
  });

  it('stay as they are in files of text', () => {
    expect(droppedText('notes.txt', ' a, b\n')).toBe('a, b');
  });
});
