import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Article {
  _id: string;
  title: string;
  text: string;
}

interface DemoQuery {
  _id: string;
  text: string;
}

interface Judgement {
  query: string;
  document: string;
  grade: number;
}

const demo = new URL('../../demo/', import.meta.url);
const lines = (file: string): string[] => readFileSync(new URL(file, demo), 'utf8').trimEnd().split('\n');

const articles = lines('corpus.jsonl').map((line) => JSON.parse(line) as Article);
const queries = lines('queries.jsonl').map((line) => JSON.parse(line) as DemoQuery);
const judgements = lines('qrels.txt').map((line): Judgement => {
  const fields = line.split(' ');
  expect(fields, line).toHaveLength(4);
  return { query: fields[0], document: fields[2], grade: Number(fields[3]) };
});

const articleById = new Map(articles.map((article) => [article._id, article]));
const wordCount = (text: string): number => text.split(/\s+/).length;
const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
const judged = (query: string, keep: (grade: number) => boolean): Judgement[] =>
  judgements.filter((judgement) => judgement.query === query && keep(judgement.grade));

const FUNCTION_WORDS = new Set(
  (
    'a an the and or of in on at to for from with by before under without against across out what why how ' +
    'that does not you their much way makes making'
  ).split(' '),
);

const contentWords = (text: string): string[] => words(text).filter((word) => !FUNCTION_WORDS.has(word));

/** A short prefix that the word's inflections share; it errs towards calling a word present. */
function prefix(word: string): string {
  const ending = ['ies', 'ing', 'ed', 'es', 's', 'e', 'y'].find(
    (suffix) => word.endsWith(suffix) && word.length - suffix.length >= 3,
  );
  return word.slice(0, word.length - (ending?.length ?? 0)).slice(0, 5);
}

function absentWords(query: string, document: string): string[] {
  const article = articleById.get(document);
  const tokens = article ? words(`${article.title} ${article.text}`) : [];
  return contentWords(query).filter((word) => !tokens.some((token) => token.startsWith(prefix(word))));
}

/** Every relevant (query, article) pair with the share of the query's content words it lacks. */
const relevantPairs = queries.flatMap((query) =>
  judged(query._id, (grade) => grade > 0).map(({ document }) => ({
    query: query.text,
    document,
    absentShare: absentWords(query.text, document).length / contentWords(query.text).length,
  })),
);

describe('the demo articles', () => {
  test('number 180 to 200, each of 80 to 250 words under a title', () => {
    expect(articles.length).toBeGreaterThanOrEqual(180);
    expect(articles.length).toBeLessThanOrEqual(200);
    const wrong = articles.filter(
      ({ title, text }) => title.trim() === '' || wordCount(text) < 80 || wordCount(text) > 250,
    );
    expect(wrong.map((article) => article._id)).toEqual([]);
  });

  test('have the three fields of a BEIR corpus and unique, readable ids', () => {
    for (const article of articles) {
      expect(Object.keys(article)).toEqual(['_id', 'title', 'text']);
      expect(article._id).toMatch(/^[a-z]+(-[a-z]+)+$/);
    }
    expect(articleById.size).toBe(articles.length);
    expect(new Set(articles.map((article) => article.title)).size).toBe(articles.length);
  });

  test('use plain punctuation', () => {
    const odd = articles.filter(({ title, text }) => !/^[\x20-\x7e]+$/.test(`${title} ${text}`));
    expect(odd.map((article) => article._id)).toEqual([]);
  });

  test('never repeat a sentence, within an article or between two', () => {
    const sentences = articles.flatMap(({ text }) =>
      text.split(/(?<=[.!?])\s+/).map((sentence) => words(sentence).join(' ')),
    );
    const repeated = sentences.filter((sentence, position) => sentences.indexOf(sentence) !== position);
    expect(repeated).toEqual([]);
  });
});

describe('the demo queries', () => {
  test('number 36 to 40, numbered from 1, of two to five words', () => {
    expect(queries.length).toBeGreaterThanOrEqual(36);
    expect(queries.length).toBeLessThanOrEqual(40);
    expect(queries.map((query) => query._id)).toEqual(queries.map((_, position) => String(position + 1)));
    for (const { text } of queries) {
      expect(wordCount(text), text).toBeGreaterThanOrEqual(2);
      expect(wordCount(text), text).toBeLessThanOrEqual(5);
    }
  });
});

describe('the demo judgements', () => {
  test('name known queries and articles, once each, with grade 0, 1 or 2', () => {
    const queryIds = new Set(queries.map((query) => query._id));
    const unknown = judgements.filter(
      ({ query, document }) => !queryIds.has(query) || !articleById.has(document),
    );
    expect(unknown).toEqual([]);
    expect(judgements.filter(({ grade }) => ![0, 1, 2].includes(grade))).toEqual([]);
    const pairs = new Set(judgements.map(({ query, document }) => `${query} ${document}`));
    expect(pairs.size).toBe(judgements.length);
  });

  test('give every query 3 to 9 relevant articles, two or more of them highly, and 2 non-relevant', () => {
    for (const { _id, text } of queries) {
      const relevant = judged(_id, (grade) => grade > 0).length;
      expect(relevant, text).toBeGreaterThanOrEqual(3);
      expect(relevant, text).toBeLessThanOrEqual(9);
      expect(judged(_id, (grade) => grade === 2).length, text).toBeGreaterThanOrEqual(2);
      expect(judged(_id, (grade) => grade === 0).length, text).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('vocabulary mismatch', () => {
  test('at least half of the relevant articles lack at least half of the query’s content words', () => {
    const lacking = relevantPairs.filter(({ absentShare }) => absentShare >= 0.5);
    expect(lacking.length / relevantPairs.length).toBeGreaterThanOrEqual(0.5);
  });

  test('few relevant articles share no word at all, so a first stage can still reach them', () => {
    const unreachable = relevantPairs.filter(({ absentShare }) => absentShare === 1);
    expect(unreachable.length / relevantPairs.length).toBeLessThanOrEqual(0.15);
  });

  test('every query has a non-relevant article that holds as many of its words as a relevant one', () => {
    for (const { _id, text } of queries) {
      const found = (keep: (grade: number) => boolean): number[] =>
        judged(_id, keep).map(
          ({ document }) => contentWords(text).length - absentWords(text, document).length,
        );
      expect(Math.max(...found((grade) => grade === 0)), text).toBeGreaterThanOrEqual(
        Math.min(...found((grade) => grade > 0)),
      );
    }
  });
});

describe('the demo README', () => {
  const readme = readFileSync(new URL('README.md', demo), 'utf8');

  test('counts the articles of every subject as they are', () => {
    const rows = [...readme.matchAll(/^\| [^|]+ \| ((?:`[a-z]+-`(?:, )?)+) \| (\d+) \|$/gm)];
    const counted = rows.map(([, ids, count]) => {
      const starts = ids.split(', ').map((id) => id.replaceAll('`', ''));
      const actual = articles.filter(({ _id }) => starts.some((start) => _id.startsWith(start))).length;
      expect(Number(count), ids).toBe(actual);
      return actual;
    });
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(articles.length);
  });

  test('lists every query with its numbers of relevant articles', () => {
    for (const { _id, text } of queries) {
      const highly = judged(_id, (grade) => grade === 2).length;
      const partly = judged(_id, (grade) => grade === 1).length;
      const row = readme.split('\n').find((line) => line.startsWith(`| ${_id} | ${text} |`));
      expect(row, text).toMatch(new RegExp(`\\| ${highly} \\| ${partly} \\|$`));
    }
  });

  test('states the size and the amount of vocabulary mismatch as measured here', () => {
    const lacking = relevantPairs.filter(({ absentShare }) => absentShare >= 0.5).length;
    const unreachable = relevantPairs.filter(({ absentShare }) => absentShare === 1).length;
    const prose = readme.replace(/\s+/g, ' ');
    expect(prose).toContain(
      `${articles.length} short encyclopaedic articles, ${queries.length} keyword queries ` +
        `and ${judgements.length} graded judgements`,
    );
    expect(prose).toContain(`${lacking} of the ${relevantPairs.length} relevant pairs lack at least half`);
    expect(prose).toContain(`and ${unreachable} lack all of them`);
  });
});
