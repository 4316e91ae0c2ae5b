/**
 * The documents of a pasted text: separated by blank lines where it has any, else one per line. White space at their
 * ends goes.
 */
export function splitDocuments(text: string): string[] {
  const clean = text.replaceAll('\r\n', '\n').trim();
  if (clean === '') return [];
  const separator = /\n[ \t]*\n/.test(clean) ? /\n(?:[ \t]*\n)+/ : '\n';
  return clean
    .split(separator)
    .map((document) => document.trim())
    .filter((document) => document !== '');
}
