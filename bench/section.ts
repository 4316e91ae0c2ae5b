import { readFileSync, writeFileSync } from 'node:fs';

/** Puts a section of a document in the place of the one with the same heading, else behind the introduction. */
export function writeSection(path: string, lines: readonly string[]): void {
  const sections = readFileSync(path, 'utf8').split(/^(?=## )/m);
  const section = `${lines.join('\n')}\n\n`;
  const at = sections.findIndex((each) => each.startsWith(`${lines[0]}\n`));
  if (at === -1) sections.splice(1, 0, section);
  else sections[at] = section;
  writeFileSync(path, `${sections.join('').trimEnd()}\n`);
}
