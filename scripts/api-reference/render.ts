import { format } from 'oxfmt';
import type { Declared, Exported, ReadEntry } from './read.js';

/** Headings of the folders' exports. Exports of other places come without one. */
const groupTitles: Readonly<Record<string, string>> = {
  common: 'Errors',
  collection: 'Collections, queries, judgements, runs',
  retrieval: 'Indexes and first-stage retrieval',
  bert: 'Scoring pairs of texts',
  expansion: 'Re-ranking',
  remote: 'Indexes, in a folder or on a cluster',
  'searched-collection': 'Indexes, in a folder or on a cluster',
  runs: 'Whole runs',
  training: 'Training',
  evaluation: 'Evaluation',
  cli: 'Explanations as text',
  search: 'Search clusters',
  scorers: 'Scorers on other machines',
  fleet: 'Fleets',
};

const generated = '<!-- Written by scripts/api-reference.ts from the sources: change the comments there. -->';

/** The page that lists the others. */
export function renderIndex(entries: readonly ReadEntry[]): string {
  const rows = entries.map((entry) => {
    const { name, page, introduction } = entry;
    const anchors = anchorsOf(entry);
    const names = entry.exported.map((one) => `[\`${one.name}\`](${page}#${anchors.get(one)})`).join(', ');
    return `## [\`${name}\`](${page})\n\n${introduction}\n\n${names}\n`;
  });
  return `${generated}\n\n# API reference\n\nThe package's exports, by the name they are imported from.\n\n${rows.join('\n')}`;
}

/** The page of one entry. */
export async function renderPage(entry: ReadEntry, entries: readonly ReadEntry[]): Promise<string> {
  const { name, introduction, exported, further } = entry;
  const example =
    exported.find(({ text }) => !/^(interface|type) /.test(text.replace(/^declare /, ''))) ?? exported[0];
  const parts = [
    generated,
    `# \`${name}\``,
    introduction,
    // An import that a reader can paste; which of the names it shows does not matter.
    `\`import { ${example.name} } from '${name}';\``,
  ];
  const link = linker(entry, entries);
  const groups = [...new Set(exported.map(groupOf))];
  for (const group of groups) {
    if (groups.length > 1) parts.push(`## ${groupTitles[group]}`);
    for (const declared of exported)
      if (groupOf(declared) === group) parts.push(...(await section(declared, link)));
  }
  if (further.length > 0) {
    parts.push(
      '## Types that these mention',
      'They have no name to import; what takes or returns them is above.',
    );
    for (const declared of further) parts.push(...(await section(declared, link)));
  }
  return `${parts.join('\n\n')}\n`;
}

function groupOf({ group }: Exported): string {
  return group in groupTitles ? group : '';
}

type Link = (declared: Declared) => string;

async function section(declared: Declared, link: Link): Promise<string[]> {
  const { name, documentation, source, mentions, text } = declared;
  const parts = [`### ${name}`];
  if (documentation.text) parts.push(documentation.text.replace(/\{@link ([^}]+)\}/g, '`$1`'));
  parts.push(fence('ts declaration', await tidy(text)));
  for (const example of documentation.examples) parts.push(fence('ts', example));
  const linked = [...new Set(mentions.map(link))].sort();
  parts.push(`\`${source}\`${linked.length > 0 ? ` · see ${linked.join(', ')}` : ''}`);
  return parts;
}

/** Names link to where they are described: this page if it does, else the first that exports them. */
function linker(own: ReadEntry, entries: readonly ReadEntry[]): Link {
  const places = [own, ...entries].flatMap((entry) => {
    const anchors = anchorsOf(entry);
    const page = entry === own ? '' : entry.page;
    const described = entry === own ? [...entry.exported, ...entry.further] : entry.exported;
    return described.map((declared) => ({
      declared,
      link: `[${declared.name}](${page}#${anchors.get(declared)})`,
    }));
  });
  return ({ text, source, name }) => {
    const place = places.find(({ declared }) => declared.text === text && declared.source === source);
    if (!place) throw new Error(`${name} of ${source} is described nowhere`);
    return place.link;
  };
}

/** The anchors of a page's headings as GitHub makes them: lower case, and numbered where that makes two the same. */
function anchorsOf({ exported, further }: ReadEntry): ReadonlyMap<Declared, string> {
  const groups = Object.keys(groupTitles);
  const inOrder = [...exported].sort((a, b) => groups.indexOf(groupOf(a)) - groups.indexOf(groupOf(b)));
  const taken = new Map<string, number>();
  return new Map(
    [...inOrder, ...further].map((declared) => {
      const slug = declared.name.toLowerCase();
      const times = taken.get(slug) ?? 0;
      taken.set(slug, times + 1);
      return [declared, times === 0 ? slug : `${slug}-${times}`];
    }),
  );
}

function fence(info: string, code: string): string {
  return `\`\`\`${info}\n${code}\n\`\`\``;
}

/** As the sources are laid out. */
async function tidy(declaration: string): Promise<string> {
  const { code, errors } = await format('declaration.d.ts', declaration, {
    printWidth: 100,
    singleQuote: true,
  });
  if (errors.length > 0) throw new Error(`cannot lay out:\n${declaration}\n${errors[0].message}`);
  return code.trim().replace(/^declare /gm, '');
}
