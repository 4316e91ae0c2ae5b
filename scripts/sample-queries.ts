// node --import tsx scripts/sample-queries.ts OUT EXPERIMENT.yaml: the same study on few queries, to see what a query takes.
// Writes OUT/<collection>/ with the same documents and ten judged queries, evenly spread, and OUT/EXPERIMENT.yaml over them.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { resolvePath } from '../src/experiment/file/paths.js';

const [out, experiment] = process.argv.slice(2);
if (!out || !experiment) throw new Error('Name a folder to write to and an experiment file.');

const lines = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
const idOf = (line: string) => (JSON.parse(line) as { _id: string })._id;
const queryOf = (line: string) => line.trim().split(/\s+/)[0]!;

/** Writes a sample of the collection in a folder, and says where. */
function sample(folder: string): string {
  const target = resolve(out!, basename(folder));
  mkdirSync(target, { recursive: true });
  symlinkSync(join(folder, 'corpus.jsonl'), join(target, 'corpus.jsonl'));
  const qrels = lines(join(folder, 'qrels.txt'));
  const judged = new Set(qrels.map(queryOf));
  const queries = lines(join(folder, 'queries.jsonl')).filter((line) => judged.has(idOf(line)));
  const chosen = Array.from({ length: 10 }, (_, i) => queries[Math.floor((i * queries.length) / 10)]!);
  const ids = new Set(chosen.map(idOf));
  writeFileSync(join(target, 'queries.jsonl'), `${chosen.join('\n')}\n`);
  writeFileSync(join(target, 'qrels.txt'), `${qrels.filter((line) => ids.has(queryOf(line))).join('\n')}\n`);
  return target;
}

const text = readFileSync(experiment, 'utf8').replaceAll(
  /documents: '?([^'\s]+)'?/g,
  (_, path: string) => `documents: ${sample(resolvePath(experiment, path))}`,
);
writeFileSync(join(out, basename(experiment)), text);
