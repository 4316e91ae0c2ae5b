import type { Probability } from './fake-scorer.js';

/**
 * BERT-QE once more, written from the equations with plain loops and nothing shared with src/: no cache, no bounds,
 * no classes. What the library answers is held against this.
 */
export interface NaiveOptions {
  kd: number;
  kc: number;
  chunkWords: number;
  passageWords: number;
  titleWords: number;
  passageChoice: 'cascade' | 'exhaustive';
  /** True if all phases have the same model. */
  oneModel: boolean;
  alpha: number;
  beta: number;
  depth: number;
  /** Documents that phase one reads. */
  phaseOneDepth: number;
  /** Documents that phase three reads. */
  expansionDepth: number;
  chunkSource: 'best-passage' | 'document' | 'initial';
  dropQueryScore: boolean;
  expansion: boolean;
}

export interface NaiveDocument {
  id: string;
  title?: string;
  text: string;
  score?: number;
}

export interface NaiveModels {
  bestPassage: Probability;
  phaseOne: Probability;
  phaseTwo: Probability;
  phaseThree: Probability;
}

export interface NaiveResult {
  index: number;
  id: string;
  score: number;
}

export function naivePieces(words: string[], length: number, overlap: number): string[] {
  const pieces: string[] = [];
  let begin = 0;
  let finished = words.length === 0;
  while (!finished) {
    let finish = begin + length;
    if (words.length - finish < overlap) finish = words.length;
    pieces.push(words.slice(begin, finish).join(' '));
    finished = finish >= words.length;
    begin = begin + length - overlap;
  }
  return pieces;
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function titleWordsOf(document: NaiveDocument, limit: number): string[] {
  const words = split(document.title ?? '').slice(0, limit);
  return words.join(' ') === '.' ? [] : words;
}

function beginnings(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, 5)));
}

/** The passages whose rare words shared with the query sum up to half of what their document's best passage has. */
function naiveLikely(query: string, documents: string[][]): { likely: string[]; likeliest: string }[] {
  const several = documents.filter((passages) => passages.length > 1).flat();
  const shared = (passage: string) =>
    [...beginnings(query)]
      .filter((word) => beginnings(passage).has(word))
      .map((word) => Math.log(several.length / several.filter((other) => beginnings(other).has(word)).length))
      .reduce((sum, weight) => sum + weight, 0);
  return documents.map((passages) => {
    if (passages.length < 2) return { likely: passages, likeliest: passages[0] };
    const most = Math.max(...passages.map(shared));
    return {
      likely: passages.filter((passage) => shared(passage) >= most / 2 - 1e-9),
      likeliest: passages.find((passage) => shared(passage) >= most - 1e-9)!,
    };
  });
}

export function naiveRerank(
  query: string,
  documents: NaiveDocument[],
  models: NaiveModels,
  options: NaiveOptions,
): NaiveResult[] {
  const hasScores = documents.length > 0 && documents[0].score !== undefined;
  const initial = documents.map((document, index) => ({ document, index }));
  if (hasScores) initial.sort((a, b) => b.document.score! - a.document.score!);
  const head = initial.slice(0, options.depth);
  const tail = initial.slice(options.depth);

  const cut = head.map(({ document }) => {
    const title = titleWordsOf(document, options.titleWords);
    const passages = naivePieces(
      split(document.text),
      options.passageWords,
      Math.floor(options.passageWords / 2),
    ).map((passage) => [...title, passage].join(' '));
    if (passages.length === 0 && title.length > 0) passages.push(title.join(' '));
    return passages;
  });
  const chosen = naiveLikely(query, cut);
  const likely = options.passageChoice === 'exhaustive' ? cut : chosen.map((each) => each.likely);

  let rows = head.map(({ document, index }, at) => {
    const passages = likely[at];
    let best = '';
    let bestScore = -1;
    for (const passage of passages) {
      const score = models.bestPassage(query, passage);
      if (score > bestScore) {
        bestScore = score;
        best = passage;
      }
    }
    const relQD = passages.length === 0 ? 0 : models.phaseOne(query, best);
    return {
      document,
      index,
      at,
      best,
      empty: passages.length === 0,
      relQD,
    };
  });

  const byId = (a: { document: NaiveDocument; index: number }, b: typeof a): number => {
    if (a.document.id < b.document.id) return -1;
    if (a.document.id > b.document.id) return 1;
    return a.index - b.index;
  };

  const finalScore = (m: number, initialScore: number | undefined): number => {
    const log = m === 0 ? Math.log(5e-324) : Math.log(m);
    return hasScores ? options.beta * log + (1 - options.beta) * initialScore! : log;
  };

  let unlisted: typeof rows = [];
  if (options.passageChoice === 'cascade' && options.chunkSource !== 'initial') {
    // Where phase one does not read all documents, their likeliest passages tell which ones it reads.
    const likeliestScore = (row: (typeof rows)[0]) =>
      finalScore(row.empty ? 0 : models.bestPassage(query, chosen[row.at].likeliest), row.document.score);
    const listed = [...rows].sort((a, b) => likeliestScore(b) - likeliestScore(a) || byId(a, b));
    unlisted = listed.slice(options.phaseOneDepth);
    rows = rows.filter((row) => !unlisted.includes(row));
  }
  if (options.passageChoice === 'cascade' && !options.oneModel) {
    // The model of phase one looks at all of the documents that lead.
    for (const row of [...rows].sort((a, b) => b.relQD - a.relQD || byId(a, b)).slice(0, options.kd)) {
      if (cut[row.at].length < 2) continue;
      row.relQD = -1;
      for (const passage of cut[row.at]) {
        const score = models.phaseOne(query, passage);
        if (score > row.relQD) {
          row.relQD = score;
          row.best = passage;
        }
      }
    }
  }

  let chunks: { text: string; score: number }[] = [];
  if (options.expansion) {
    const ranked = [...rows].sort((a, b) => b.relQD - a.relQD || byId(a, b));
    const feedback = (options.chunkSource === 'initial' ? rows : ranked).slice(0, options.kd);
    for (const row of feedback) {
      const text =
        options.chunkSource === 'document'
          ? [...titleWordsOf(row.document, options.titleWords), ...split(row.document.text)]
          : split(row.best);
      for (const chunk of naivePieces(text, options.chunkWords, Math.floor(options.chunkWords / 2))) {
        chunks.push({ text: chunk, score: models.phaseTwo(query, chunk) });
      }
    }
    chunks = chunks.sort((a, b) => b.score - a.score).slice(0, options.kc);
  }
  let total = 0;
  for (const chunk of chunks) total += Math.exp(chunk.score);

  const unexpanded = rows
    .map((row) => ({ ...row, score: finalScore(row.relQD, row.document.score) }))
    .sort((a, b) => b.score - a.score || byId(a, b));
  const read =
    options.expansion && (options.alpha > 0 || options.dropQueryScore)
      ? unexpanded.slice(0, options.expansionDepth)
      : unexpanded;
  const unread = unexpanded.slice(read.length);

  const results = read.map((row) => {
    let relCD = 0;
    for (const chunk of chunks) {
      const relCiD = row.empty ? 0 : models.phaseThree(chunk.text, row.best);
      relCD += (Math.exp(chunk.score) / total) * relCiD;
    }
    let m = (1 - options.alpha) * row.relQD + options.alpha * relCD;
    if (options.dropQueryScore) m = relCD;
    if (chunks.length === 0) m = row.relQD;
    const score = finalScore(m, row.document.score);
    return { id: row.document.id, index: row.index, document: row.document, score };
  });
  results.sort((a, b) => b.score - a.score || byId(a, b));

  const answer: NaiveResult[] = results.map(({ id, index, score }) => ({ id, index, score }));
  let last = results.length > 0 ? results[results.length - 1].score : 0;
  for (const below of [unread, [...unlisted, ...tail]]) {
    const above = last;
    for (const [i, { document, index }] of below.entries()) {
      last = above - 0.01 * (i + 1);
      answer.push({ id: document.id, index, score: last });
    }
  }
  return answer;
}
