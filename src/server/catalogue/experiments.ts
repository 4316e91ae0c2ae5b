import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { unescapeText } from '../../common/plot/svg.js';
import type { ExperimentsAnswer } from '../schemas/index.js';

/** Lists the experiments under a folder that have a report, latest first; none if there is no such folder. */
export async function listExperiments(folder: string | undefined): Promise<ExperimentsAnswer> {
  if (folder === undefined) return { experiments: [] };
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => describe(folder, name)),
  );
  return {
    experiments: found
      .filter((experiment) => experiment !== undefined)
      .sort((a, b) => (a.finished < b.finished ? 1 : -1)),
  };
}

/** The files of an experiment that may be read. Its stored work beside them may not. */
export const experimentFiles = /^(report\.(html|md)|(tables|figures)\/[\w.-]+)$/;

/** Bytes of a report that are read for its title: every request for the list reads those of all reports. */
const headBytes = 4096;

async function describe(
  folder: string,
  name: string,
): Promise<ExperimentsAnswer['experiments'][number] | undefined> {
  const path = join(folder, name, 'report.html');
  const report = await stat(path).catch(() => undefined);
  if (!report?.isFile()) return undefined;
  const head = await text(createReadStream(path, { end: headBytes - 1 }));
  const [, title = name] = /<title>([^<]*)<\/title>/.exec(head) ?? [];
  return {
    name,
    title: unescapeText(title),
    finished: report.mtime.toISOString(),
    report: `/experiments/${encodeURIComponent(name)}/report.html`,
  };
}
