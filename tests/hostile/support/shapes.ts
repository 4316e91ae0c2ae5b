import fc from 'fast-check';

/** A request that grows with the bytes that are asked for. */
export interface Shape {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body of about so many bytes. */
  body(bytes: number): string;
}

/** Repeats a piece to about so many bytes; at most `most` times. */
function repeated(piece: string, bytes: number, separator = ',', most = Number.POSITIVE_INFINITY): string {
  const count = Math.max(1, Math.min(most, Math.floor(bytes / Buffer.byteLength(piece + separator))));
  return `${(piece + separator).repeat(count - 1)}${piece}`;
}

const text = (characters: string, bytes: number): string => `"${repeated(characters, bytes, '')}"`;

/** The kinds of elements that lists are filled with. */
const kinds: Readonly<Record<string, string>> = {
  numbers: '1',
  nulls: 'null',
  'empty texts': '""',
  'equal texts': '"a"',
  words: '"a bridge sways in the wind"',
  objects: '{}',
  fields: '{"a":1,"b":"x"}',
  'empty lists': '[]',
  'broken values': 'x',
  texts: '{"text":"a"}',
};

/** The characters that long texts are made of. */
const characters: Readonly<Record<string, string>> = {
  'one-letter words': 'a ',
  'one word': 'a',
  tabs: 'a\\t',
  'wide spaces': 'a\u3000',
  ideographs: '語',
  accents: 'é',
  escapes: '\\u0061',
  quotes: '\\"',
  surrogates: '\\ud83d\\ude00',
  'lone surrogates': '\\ud83d',
  combining: 'a\u0301\u0302',
  'marks of two classes': '\u0301\u0316',
  'marks that stay': '\u{1d165}\u{1d16d}',
  Hangul: '각',
  capitals: 'A\u0130',
  Greek: 'α',
  'rare ideographs': '𠀀',
  'Arabic ligatures': '\ufdfa',
  'soft hyphens': '\u00ad',
  'special tokens': '[SEP]',
  controls: '\\u0001',
  spaces: ' ',
  punctuation: '.,',
};

const lists = Object.entries(kinds).flatMap(([kind, piece]) => [
  shape(
    `a list of ${kind}`,
    '/v1/rerank',
    (bytes) => `{"query":"a","documents":[${repeated(piece, bytes)}]}`,
  ),
  shape(
    `a list of ${kind} with top_n`,
    '/v2/rerank',
    (bytes) => `{"model":"T","query":"a","top_n":1,"documents":[${repeated(piece, bytes)}]}`,
  ),
  // As many as are taken.
  shape(
    `20,000 ${kind} with top_n`,
    '/v1/rerank',
    (bytes) =>
      `{"model":"TTT","query":"a","top_n":1,"documents":[${repeated(piece, bytes, ',', Math.min(20_000, bytes / 800))}]}`,
  ),
]);

const longTexts = Object.entries(characters).flatMap(([name, piece]) => [
  shape(`texts of ${name}`, '/v2/rerank', (bytes) => {
    const documents = Array.from({ length: Math.ceil(bytes / 1_900_000) }, () =>
      text(piece, Math.min(bytes, 1_900_000)),
    );
    return `{"model":"T","query":"a","max_tokens_per_doc":50,"return_documents":true,"documents":[${documents.join(',')}]}`;
  }),
  shape(`whole texts of ${name}`, '/rerank', (bytes) => {
    const texts = Array.from({ length: Math.ceil(bytes / 1_900_000) }, (_, i) =>
      text(piece, Math.min(bytes, 1_900_000)).replace('"', `"${i} `),
    );
    return `{"model":"T","query":"a","texts":[${texts.join(',')}]}`;
  }),
  shape(`texts of ${name} in passages of a word`, '/v1/rerank', (bytes) => {
    const documents = repeated(text(piece, 1000), bytes);
    return `{"model":"TTT","query":"a","explain":true,"method":{"passageWords":1,"chunkWords":1,"kd":1000,"kc":100,"chunkSource":"document"},"documents":[${documents}]}`;
  }),
]);

const structures = [
  shape('nested lists', '/v1/rerank', (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)),
  shape('nested lists that do not end', '/search', (bytes) => '['.repeat(bytes)),
  shape('nested objects', '/v1/rerank', (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`),
  shape('a nested field', '/v1/rerank', (bytes) => {
    const depth = bytes / 2;
    return `{"query":"a","documents":[{"a":${'['.repeat(depth)}${']'.repeat(depth)}}]}`;
  }),
  shape('many fields', '/v1/rerank', (bytes) => `{"query":"a","documents":[{${fields(bytes)}}]}`),
  shape('many unknown fields', '/search', (bytes) => `{"query":"a",${fields(bytes)}}`),
  shape('a long field name', '/search', (bytes) => `{"query":"a","${'k'.repeat(bytes)}":1}`),
  shape(
    'a long model name',
    '/v2/rerank',
    (bytes) => `{"model":${text('m', bytes)},"query":"a","documents":[]}`,
  ),
  shape('a long query', '/rerank', (bytes) => `{"query":${text('q ', bytes)},"texts":["a"]}`),
  shape('many rank_fields', '/v1/rerank', (bytes) => {
    const names = Array.from({ length: bytes / 20 }, (_, i) => `"f${i}"`);
    return `{"query":"a","rank_fields":[${names.join(',')}],"documents":[${repeated('{"f0":"x"}', bytes / 2)}]}`;
  }),
  shape('a hundred rank_fields', '/v1/rerank', (bytes) => {
    const names = Array.from({ length: 100 }, (_, i) => `"f${i}"`);
    const document = `{${names.map((name) => `${name}:"${'x'.repeat(60)}"`).join(',')}}`;
    return `{"model":"T","query":"a","top_n":1,"rank_fields":[${names.join(',')}],"documents":[${repeated(document, bytes)}]}`;
  }),
  shape('one of the rank_fields a hundred times', '/v1/rerank', (bytes) => {
    const names = Array.from({ length: 100 }, () => '"f"');
    return `{"query":"a","rank_fields":[${names.join(',')}],"documents":[${repeated(`{"f":"${'x'.repeat(7000)}"}`, bytes)}]}`;
  }),
  shape(
    'an object with a long text',
    '/v1/rerank',
    (bytes) => `{"query":"a","documents":[{"text":${text('é x ', bytes)}}]}`,
  ),
  shape(
    'an object with long fields',
    '/v1/rerank',
    (bytes) =>
      `{"query":"a","documents":[{"a":${text('x', bytes / 2)},"b":[${repeated('1e20', bytes / 25)}]}]}`,
  ),
  shape(
    'a list of wrong rank_fields',
    '/v1/rerank',
    (bytes) => `{"query":"a","documents":[],"rank_fields":[${repeated('1', bytes)}]}`,
  ),
  shape('a long number', '/v2/rerank', (bytes) => `{"query":"a","documents":[${'1'.repeat(bytes)}]}`),
  shape('white space', '/v2/rerank', (bytes) => `{"query":"a",${' '.repeat(bytes)}"documents":[]}`),
  shape('pasted documents', '/search', (bytes) => {
    const documents = Array.from(
      { length: Math.min(20_000, bytes / 60) },
      (_, i) => `{"id":"${i}","text":"a"}`,
    );
    return `{"query":"a","topK":1,"documents":[${documents.join(',')}]}`;
  }),
  shape(
    'pasted documents with one id',
    '/search',
    (bytes) => `{"query":"a","documents":[${repeated('{"id":"1","text":"a"}', bytes)}]}`,
  ),
  shape('many documents of many fields', '/v1/rerank', (bytes) => {
    const names = Array.from({ length: 999 }, (_, i) => `"k${i}":1`);
    return `{"query":"a","documents":[${repeated(`{${names.join(',')}}`, bytes, ',', 240)}]}`;
  }),
  shape('fields of different names', '/v1/rerank', (bytes) => {
    const documents = Array.from({ length: Math.min(240, bytes / 20_000) }, (_, i) => {
      const names = Array.from({ length: 999 }, (__, j) => `"k${i}_${j}":1`);
      return `{${names.join(',')}}`;
    });
    return `{"query":"a","documents":[${documents.join(',')}]}`;
  }),
  shape('long field names', '/v1/rerank', (bytes) => {
    const documents = Array.from({ length: bytes / 920 }, (_, i) => `{"${i}${'k'.repeat(900)}":1}`);
    return `{"query":"a","documents":[${documents.join(',')}]}`;
  }),
  shape('long unknown parameters', '/v1/rerank', (bytes) => {
    const names = Array.from({ length: 999 }, (_, i) => `"${i}${'k'.repeat(Math.min(900, bytes / 1000))}":1`);
    return `{"query":"a","documents":["a"],"method":{${names.join(',')}}}`;
  }),
  shape('a long query whose words all passages share', '/v2/rerank', (bytes) => {
    const words = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    const query = words.join(' ');
    const documents = repeated(`"${`${query} `.repeat(90)}"`, bytes);
    return `{"model":"bert-qe-TTT","query":"${query.slice(0, 20_000)}","documents":[${documents}]}`;
  }),
  explained('an explanation of equal texts', '/v2/rerank'),
  explained('a search with an explanation', '/search'),
  shape('a search with a deadline', '/search', (bytes) => {
    const documents = repeated('"a"', bytes / 1000, ',', 3000);
    return `{"model":"bert-qe-TTT","query":"a","deadline":1000,"topK":5,"kc":10,"documents":[${documents}]}`;
  }),
  shape(
    'events of long texts',
    '/search',
    (bytes) => {
      const documents = Array.from({ length: 8 }, () => text('é', bytes / 8 - 100));
      return `{"query":"a","texts":true,"explain":true,"documents":[${documents.join(',')}]}`;
    },
    { Accept: 'text/event-stream' },
  ),
  shape('a query of marks', '/rerank', (bytes) => {
    const query = text('\u0301\u0316', 39_000);
    return `{"query":${query},"texts":[${repeated('"a"', bytes, ',', 10_000)}]}`;
  }),
  shape('huge scores', '/search', (bytes) => {
    const documents = Array.from(
      { length: Math.min(2000, bytes / 2000) },
      (_, i) => `{"text":"a${i}","score":${i % 2 === 0 ? '' : '-'}1.7e308}`,
    );
    return `{"query":"a","documents":[${documents.join(',')}]}`;
  }),
  shape('keys of prototypes', '/v1/rerank', (bytes) => {
    const document = '{"__proto__":{"text":"a"},"constructor":{"prototype":1},"text":"b"}';
    return `{"query":"a","__proto__":{"top_n":1},"documents":[${repeated(document, bytes, ',', 20_000)}]}`;
  }),
  shape('no JSON', '/v2/rerank', (bytes) => 'a'.repeat(bytes)),
  shape('no UTF-8', '/v2/rerank', (bytes) => `"${'\u0000'.repeat(bytes)}`),
  shape('commas', '/v2/rerank', (bytes) => ','.repeat(bytes)),
  shape('the same field again and again', '/v2/rerank', (bytes) => `{${repeated('"query":"a"', bytes)}}`),
];

function fields(bytes: number): string {
  return Array.from({ length: bytes / 12 }, (_, i) => `"k${i}":1`).join(',');
}

/** Texts that are equal but for one, so that many scores are known at once and all are to be written. */
function explained(name: string, path: string): Shape {
  return shape(name, path, (bytes) => {
    const words = Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ');
    const method = '"kc":100,"kd":1,"chunkWords":1,"chunkSource":"document"';
    const options = path === '/search' ? method : `"method":{${method}}`;
    const documents = repeated('"a"', bytes / 1000, ',', 2300);
    return `{"model":"bert-qe-TTT","query":"a","explain":true,${options},"documents":["${words}",${documents}]}`;
  });
}

function shape(
  name: string,
  path: string,
  body: (bytes: number) => string,
  headers: Readonly<Record<string, string>> = {},
): Shape {
  return { name, path, headers, body: (bytes) => body(Math.floor(bytes)) };
}

/** Values of any structure, which are repeated to the size that is asked for. */
export const generated: fc.Arbitrary<Shape> = fc
  .record({
    path: fc.constantFrom('/v1/rerank', '/v2/rerank', '/rerank', '/search'),
    field: fc.constantFrom('documents', 'texts', 'rank_fields', 'method', 'query', 'other'),
    value: fc.json({ maxDepth: 4 }),
    depth: fc.nat(80),
    width: fc.constantFrom(1, 100, 20_000, Number.POSITIVE_INFINITY),
    options: fc.record(
      { top_n: fc.integer({ min: 1, max: 5 }), explain: fc.boolean() },
      { requiredKeys: [] },
    ),
  })
  .map(({ path, field, value, depth, width, options }) =>
    shape(`${field} of ${value.slice(0, 40)} ${depth} deep, ${width} wide`, path, (bytes) => {
      const piece = '['.repeat(depth) + value + ']'.repeat(depth);
      const list = repeated(piece, bytes - 100, ',', width);
      const body = { query: 'a', documents: ['a'], texts: ['a'], ...options };
      return `${JSON.stringify(body).slice(0, -1)},"${field}":[${list}]}`;
    }),
  );

/** Shapes by name. */
export const shapes: readonly Shape[] = [...lists, ...longTexts, ...structures];
