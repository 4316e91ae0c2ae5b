import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BertQeError } from '../../common/errors.js';
import { checkIndex } from '../../retrieval/index.js';
import { defineCommand } from '../command.js';
import { formatCount } from '../format.js';
import { Progress } from '../progress.js';

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Verify every structure of an index against the others.',
  positionals: [{ name: 'DIR', help: 'folder of the index' }],
  options: {},
  examples: ['bert-qe check scifact.index'],
  async run({ positionals: [folder], io }) {
    if (!existsSync(folder)) throw new BertQeError('missing', `There is no folder ${folder}.`);
    const progress = new Progress(io, 'documents and terms');
    const report = checkIndex(folder, {
      signal: io.signal,
      onProgress: (done, total) => progress.update(done, done / total),
    });
    progress.done();
    for (const problem of report.problems) io.stdout.write(`${join(folder)}: ${problem}\n`);
    if (report.problems.length > 0) {
      throw new BertQeError(
        'corrupt',
        `${folder} is damaged (see above); build it again with bert-qe index.`,
      );
    }
    io.stdout.write(
      `${folder} is sound: ${formatCount(report.documents)} documents, ${formatCount(report.terms)} terms, ` +
        `${formatCount(report.postings)} postings agree.\n`,
    );
  },
});
