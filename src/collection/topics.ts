import { badInput, checkId, quote } from './bad-input.js';
import { decodeEntities } from './entities.js';
import { MarkupScanner } from './markup.js';
import { collapse } from './text-collector.js';
import type { Origin, Query } from './types.js';

/** The part of a topic that is the query; the paper uses titles. */
export const topicFields = ['title', 'desc', 'title+desc'] as const;

export type TopicField = (typeof topicFields)[number];

/** A query with its origin, for a message about two with the same id. */
export interface FoundQuery {
  readonly query: Query;
  readonly origin: Origin;
}

/** The parts that make up a query, each with the label that TREC writes in front of it. */
const labels: Readonly<Record<string, RegExp>> = {
  num: /^Number:\s*/i,
  title: /^Topic:\s*/i,
  desc: /^Description:\s*/i,
};

/**
 * Reads TREC topics: `<top>` with `<num> Number: 301`, `<title>`, `<desc>` and `<narr>`. Parts may be closed or, as
 * NIST writes them, end where the next one begins.
 */
export function parseTopics(content: string, file: string, field: TopicField): FoundQuery[] {
  const scanner = new MarkupScanner(content);
  const queries: FoundQuery[] = [];
  let parts: Map<string, string> | undefined;
  let part = '';
  let topicLine = 0;
  let line = 1;
  let counted = 0;

  const finish = (): void => {
    if (parts === undefined) return;
    const origin = { file, line: topicLine };
    queries.push({ query: toQuery(parts, origin, field), origin });
    parts = undefined;
  };

  for (let token = scanner.next(); token !== 'end'; token = scanner.next()) {
    for (; counted < scanner.start; counted++) if (content.charCodeAt(counted) === 0x0a) line++;
    const { name } = scanner;
    if (token === 'text') {
      if (parts && part !== '') parts.set(part, (parts.get(part) ?? '') + scanner.text);
    } else if (name === 'top') {
      finish();
      part = '';
      if (token === 'open') {
        parts = new Map();
        topicLine = line;
      }
    } else {
      part = token === 'open' ? name : '';
      if (token === 'open' && parts?.has(name)) {
        throw badInput(
          { file, line },
          `the topic that starts on line ${topicLine} has a second <${name}>`,
          'End the first topic with </top> and begin the second with <top>.',
        );
      }
    }
  }
  finish();
  if (queries.length === 0) {
    throw badInput(
      { file },
      'no <top> element was found',
      'TREC topics look like <top> <num> Number: 1 <title> words.',
    );
  }
  return queries;
}

function toQuery(parts: ReadonlyMap<string, string>, origin: Origin, field: TopicField): Query {
  const read = (name: string): string => {
    const text = collapse(decodeEntities(parts.get(name) ?? '')).replace(labels[name], '');
    if (text !== '') return text;
    throw badInput(
      origin,
      `the topic that starts here has no <${name}>, or an empty one`,
      name === 'num'
        ? 'Give it one: <num> Number: 301.'
        : `Fill it in, or choose another field than ${quote(field)}.`,
    );
  };
  const id = checkId(read('num'), 'query', origin);
  return { id, text: field.split('+').map(read).join(' ') };
}
