/**
 * Lower case as Lucene makes it: every code point by itself, whatever its neighbours. So a final sigma is not special,
 * and İ becomes a plain i, where `toLowerCase` makes ς of the one and two characters of the other.
 */
export function lowerCase(word: string): string {
  if (/^[ -~]*$/.test(word)) return word.toLowerCase(); // Printable ASCII has no such cases.
  let lower = '';
  for (const character of word) lower += character === 'İ' ? 'i' : character.toLowerCase();
  return lower;
}
