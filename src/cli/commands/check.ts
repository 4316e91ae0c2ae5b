import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError, missingError } from '../../common/errors.js';
import { checkIndex } from '../../retrieval/index.js';
import { defineCommand } from '../command.js';
import { formatCount, writeJson } from '../format.js';
import { OPTIONS } from '../option-table.js';
import { Progress } from '../progress.js';

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Verify every structure of an index against the others.',
  positionals: [{ name: 'DIR', help: 'folder of the index' }],
  options: { json: { ...OPTIONS.json, help: 'write the counts and problems as JSON' } },
  examples: ['bert-qe check scifact.index'],
  async run({ options, positionals: [folder], io }) {
    if (!existsSync(folder)) throw missingError(`There is no folder ${folder}.`);
    const progress = new Progress(io, 'documents and terms');
    const report = checkIndex(folder, {
      signal: io.signal,
      onProgress: (done, total) => progress.update(done, done / total),
    });
    progress.done();
    const { documents, terms, postings, problems } = report;
    if (options.json) {
      writeJson(io, { index: folder, sound: problems.length === 0, documents, terms, postings, problems });
    } else {
      for (const problem of problems) io.stdout.write(`${join(folder)}: ${problem}\n`);
    }
    if (problems.length > 0) {
      throw corruptError(`${folder} is damaged (see above); build it again with bert-qe index.`);
    }
    if (options.json) return;
    io.stdout.write(
      `${folder} is sound: ${formatCount(documents)} documents, ${formatCount(terms)} terms, ` +
        `${formatCount(postings)} postings agree.\n`,
    );
  },
});
