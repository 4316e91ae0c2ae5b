import { readFile } from 'node:fs/promises';
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { z } from 'zod';
import { inputError, reasonOf } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { throwReadFailure } from '../../common/io-errors.js';
import { describeIssue } from './issue.js';
import { resolvePath } from './paths.js';
import { withPreset } from './preset.js';
import { experimentSchema, listSchema, studySchema, type ExperimentFile } from './schema.js';

/** The same experiment on several collections. */
export interface Study {
  readonly name: string;
  readonly title: string;
  readonly experiments: ReadonlyMap<string, ExperimentFile>;
  /** Collections whose queries are also taken together, by the name of the whole. */
  readonly together?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The files of the experiments, where the study lists files. */
  readonly files?: ReadonlyMap<string, string>;
}

/** Reads and checks an experiment file; an error names the line and column of the first mistake. */
export async function readExperiment(file: string): Promise<ExperimentFile> {
  return parseExperiment(await readFile(file, 'utf8').catch(throwReadFailure(file)), file);
}

/**
 * Reads and checks a file with one experiment, with `collections` in place of `collection`, or with `experiments`, a list
 * of experiment files.
 */
export async function readStudy(file: string): Promise<ExperimentFile | Study> {
  const text = await readFile(file, 'utf8').catch(throwReadFailure(file));
  if (hasField(text, 'experiments')) return readListed(text, file);
  return hasField(text, 'collections') ? parseStudy(text, file) : parseExperiment(text, file);
}

export function parseExperiment(text: string, file: string): ExperimentFile {
  return parse(text, file, experimentSchema);
}

/** Parses and checks the text of a study: an experiment per collection, equal in what the collections leave open. */
export function parseStudy(text: string, file: string): Study {
  const { collections, together, ...common } = parse(text, file, studySchema);
  const { name, title = name } = common;
  const experiments = Object.entries(collections).map(
    ([key, { initial, folds, models, baselines, published, ...rest }]) => {
      const own = omitUndefined({ initial, folds, models, baselines, published });
      // The schema checks that one of them has folds.
      const experiment = {
        ...common,
        ...own,
        name: key,
        title: `${title}: ${key}`,
        collection: rest,
      } as ExperimentFile;
      return [key, experiment] as const;
    },
  );
  return { name, title, together, experiments: new Map(experiments) };
}

async function readListed(text: string, file: string): Promise<Study> {
  const { name, title = name, together, experiments } = parse(text, file, listSchema);
  const files = new Map(Object.entries(experiments).map(([key, path]) => [key, resolvePath(file, path)]));
  const read = new Map<string, ExperimentFile>();
  for (const [key, path] of files) read.set(key, await readExperiment(path));
  return { name, title, together, experiments: read, files };
}

function hasField(text: string, name: string): boolean {
  const { contents } = parseDocument(text);
  return isMap(contents) && contents.has(name);
}

function parse<T extends z.ZodType>(text: string, file: string, schema: T): z.output<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error) {
    throw inputError(`${at(error.pos[0])}: not valid YAML: ${error.message.split('\n')[0]}.`);
  }
  const parsed = schema.safeParse(withPreset(valueOf(document, at) ?? {}));
  if (parsed.success) return parsed.data;
  const issue = earliest(parsed.error.issues, document);
  throw inputError(`${at(offsetOf(issue, document))}: ${describeIssue(issue, document.getIn(issue.path))}`);
}

/** The value of a document. Aliases may name no anchor, or repeat each other so often that they would fill the memory. */
function valueOf(document: Document, at: (offset: number) => string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    let place = 0;
    visit(document, {
      Alias: (_, alias) => {
        place = alias.range?.[0] ?? place;
        return alias.resolve(document) ? undefined : visit.BREAK;
      },
    });
    throw inputError(`${at(place)}: not valid YAML: ${reasonOf(error)}.`, error);
  }
}

type Issue = z.core.$ZodIssue;

/** The issue nearest to the top of the file. */
function earliest(issues: readonly Issue[], document: Document): Issue {
  return [...issues].sort((a, b) => offsetOf(a, document) - offsetOf(b, document))[0];
}

/** The offset of the value; of the key where that is unknown; of the nearest parent where the value is missing. */
function offsetOf(issue: Issue, document: Document): number {
  const { path } = issue;
  const parent = document.getIn(path, true);
  if (issue.code === 'unrecognized_keys' && isMap(parent)) {
    const pair = parent.items.find(
      (item) => isScalar(item.key) && issue.keys.includes(String(item.key.value)),
    );
    if (isPair(pair) && isScalar(pair.key)) return pair.key.range?.[0] ?? 0;
  }
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
