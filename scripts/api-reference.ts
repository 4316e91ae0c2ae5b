/**
 * Writes docs/api from the exported declarations and their doc comments:
 *
 *   node --import tsx scripts/api-reference.ts
 *
 * `tests/docs/api-reference.test.ts` fails when the pages are stale.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReference } from './api-reference/index.js';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/api');
const { pages, problems } = await apiReference(root);
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${pages.size} pages in docs/api\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
