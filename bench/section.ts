import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Puts sections of a document, each of which begins with a `## ` heading, in the places of those with the same headings;
 * new ones go to the end. Others stay as they are.
 */
export function writeSections(path: string, lines: readonly string[]): void {
  const sections = sectionsOf(readFileSync(path, 'utf8'));
  for (const section of sectionsOf(lines.join('\n'))) {
    if (!section.startsWith('## ')) continue;
    const [heading] = section.split('\n', 1);
    const at = sections.findIndex((each) => each.startsWith(`${heading}\n`));
    if (at === -1) sections.push(section);
    else sections[at] = section;
  }
  writeFileSync(path, `${sections.map((section) => section.trimEnd()).join('\n\n')}\n`);
}

function sectionsOf(text: string): string[] {
  return text.split(/^(?=## )/m);
}
