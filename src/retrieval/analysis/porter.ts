/**
 * The stem of a lower-cased word by Porter's stemmer (Program 14(3), 1980), with its author's later changes `bli → ble`
 * and `logi → log`, as in Lucene and Terrier.
 *
 * Every character that is not a vowel counts as a consonant, digits and letters of other scripts included. Words of one
 * or two characters are unchanged.
 */
export function porterStem(word: string): string {
  if (word.length < 3) return word;
  let stem = removePlural(word);
  stem = removePast(stem);
  if (stem.endsWith('y') && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`; // Step 1c.
  stem = replaceSuffix(stem, STEP_2, 0);
  stem = replaceSuffix(stem, STEP_3, 0);
  stem = replaceSuffix(stem, STEP_4, 1);
  return tidy(stem);
}

/** Step 1a: `caresses → caress`, `ponies → poni`, `cats → cat`. */
function removePlural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss')) return word;
  return word.slice(0, word.endsWith('sses') || word.endsWith('ies') ? -2 : -1);
}

/** Step 1b: `agreed → agree`, `plastered → plaster`, `hopping → hop`, `filing → file`. */
function removePast(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (suffix === 0 || !hasVowel(word, word.length - suffix)) return word;
  const stem = word.slice(0, -suffix);
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsInShortSyllable(stem, stem.length) ? `${stem}e` : stem;
}

interface Rule {
  /** The suffix, preceded by letters that must be there and are kept. */
  readonly ending: string;
  readonly suffix: string;
  readonly replacement: string;
}

/** Rules by the code of the suffix's last letter but one; longest first. */
type Table = Readonly<Record<number, readonly Rule[]>>;

const STEP_2 = tableOf(
  `ational ate, tional tion, enci ence, anci ance, izer ize, bli ble, alli al, entli ent, eli e, ousli ous,
  ization ize, ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble,
  logi log`,
);
const STEP_3 = tableOf('icate ic, ative, alize al, iciti ic, ical ic, ful, ness');
const STEP_4 = tableOf(
  `al, ance, ence, er, ic, able, ible, ant, ement, ment, ent, s|ion, t|ion, ou, ism, ate, iti, ous, ive, ize`,
);

/**
 * Steps 2, 3 and 4: replaces the longest suffix of the table that the word ends in, if more than `least` vowel–
 * consonant pairs precede it.
 */
function replaceSuffix(word: string, table: Table, least: number): string {
  if (word.length < 2) return word;
  const rules = table[word.charCodeAt(word.length - 2)];
  if (rules === undefined) return word;
  for (const { ending, suffix, replacement } of rules) {
    if (!word.endsWith(ending)) continue;
    const kept = word.length - suffix.length;
    return measure(word, kept) > least ? word.slice(0, kept) + replacement : word;
  }
  return word;
}

/** Step 5: `probate → probat`, `rate → rate`, `controll → control`. */
function tidy(word: string): string {
  let end = word.length;
  const pairs = measure(word, end);
  if (word.endsWith('e') && (pairs > 1 || (pairs === 1 && !endsInShortSyllable(word, end - 1)))) end--;
  if (pairs > 1 && word.endsWith('ll', end)) end--;
  return word.slice(0, end);
}

const VOWEL = 1;
const Y = 2;
const letters = new Uint8Array(128);
for (const vowel of 'aeiou') letters[vowel.charCodeAt(0)] = VOWEL;
letters['y'.charCodeAt(0)] = Y;

/** True for a vowel; `wasVowel` says whether the character before is one, since y is a vowel after consonants only. */
function isVowelAfter(wasVowel: boolean, code: number): boolean {
  const letter = code < 128 ? letters[code] : 0;
  return letter === VOWEL || (letter === Y && !wasVowel);
}

/** Porter's m of the first `end` characters: the number of consonants after a vowel. */
function measure(word: string, end: number): number {
  let pairs = 0;
  // A y at the beginning is a consonant, as if after a vowel; that vowel begins no pair.
  let wasVowel = true;
  for (let at = 0; at < end; at++) {
    const isVowel = isVowelAfter(wasVowel, word.charCodeAt(at));
    if (wasVowel && !isVowel && at > 0) pairs++;
    wasVowel = isVowel;
  }
  return pairs;
}

/** Porter's *v*: true with a vowel among the first `end` characters. */
function hasVowel(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) {
    if (isVowelAfter(at === 0, word.charCodeAt(at))) return true;
  }
  return false;
}

function isConsonant(word: string, at: number): boolean {
  let wasVowel = true;
  for (let i = 0; i <= at; i++) wasVowel = isVowelAfter(wasVowel, word.charCodeAt(i));
  return !wasVowel;
}

/** Porter's *d: true for a word that ends in a double consonant. */
function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charCodeAt(last) === word.charCodeAt(last - 1) && isConsonant(word, last);
}

/** Porter's *o: true where the first `end` characters end in consonant, vowel, consonant other than w, x, y. */
function endsInShortSyllable(word: string, end: number): boolean {
  const last = end - 1;
  if (last < 2 || 'wxy'.includes(word.charAt(last))) return false;
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2);
}

/** Parses rules of the form `suffix replacement, suffix, before|suffix, …`. */
function tableOf(rules: string): Table {
  const table: Record<number, Rule[]> = {};
  for (const rule of rules.split(',')) {
    const [pattern, replacement = ''] = rule.trim().split(' ') as [string, string?];
    const ending = pattern.replace('|', '');
    const suffix = pattern.slice(pattern.indexOf('|') + 1);
    (table[ending.charCodeAt(ending.length - 2)] ??= []).push({ ending, suffix, replacement });
  }
  for (const group of Object.values(table)) group.sort((a, b) => b.ending.length - a.ending.length);
  return table;
}
