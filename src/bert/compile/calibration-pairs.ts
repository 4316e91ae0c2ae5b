import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingError } from '../../common/errors.js';
import { demoFolder } from '../../common/package-files.js';
import type { TextPair } from '../types.js';

/** Prose on many subjects, shipped with the package. */
const demo = join(demoFolder, 'corpus.jsonl');

/** The number of the demo's articles that are used. */
const ARTICLES = 64;

/**
 * The default pairs for calibration: an article's title with its text (relevant) and a run of words of one article with
 * another article (mostly irrelevant). Short and long first texts, relevant and irrelevant pairs all occur, as in the
 * three phases.
 */
export async function defaultCalibrationPairs(): Promise<TextPair[]> {
  const text = await readFile(demo, 'utf8').catch((error: unknown) => {
    throw missingError(
      `${demo}: needed to choose the scales of an int8 model; install the package again or give calibration pairs`,
      error,
    );
  });
  const articles = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { title: string; text: string });
  const step = Math.max(1, Math.floor(articles.length / ARTICLES));
  const chosen = articles.filter((_, i) => i % step === 0);
  return chosen.flatMap((article, i) => {
    const other = chosen[(i + 1) % chosen.length];
    const chunk = other.text.split(' ').slice(5, 15).join(' ');
    return [
      { a: article.title, b: article.text },
      { a: chunk, b: article.text },
      { a: chunk, b: article.text.split(' ').slice(0, 12).join(' ') },
    ];
  });
}
