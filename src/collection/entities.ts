import { fromWindows1252 } from './charset.js';

/** HTML 4's names for U+00A0 … U+00FF, in order. */
const latin1Names =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 ' +
  'acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde ' +
  'Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc ' +
  'Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml ' +
  'aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc ' +
  'otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** HTML 4's Greek letters from U+0391 and U+03B1 on; `-` stands for the one code without a letter. */
const greekNames =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau ' +
  'Upsilon Phi Chi Psi Omega';

/** The other names of HTML 4, each followed by its character. */
const otherNames =
  'amp & lt < gt > quot " apos \' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ ' +
  'sigmaf ς thetasym ϑ upsih ϒ piv ϖ ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ ' +
  'dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ ' +
  'euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ ' +
  'uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ ' +
  'sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ ' +
  'cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ ' +
  'sdot ⋅ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦';

/** ISO 8879 names, for the Federal Register of 1994, which is full of `&hyph;` and `&blank;`. */
const isoNames =
  'hyph - cir ○ check ✓ square □ squ □ dash - half ½ dollar $ percnt % num # ast * plus + equals = ' +
  'lpar ( rpar ) lsqb [ rsqb ] lcub { rcub } verbar | sol / bsol \\ colon : semi ; comma , period . ' +
  'excl ! quest ? commat @ lowbar _ horbar ―';

/** Names of blanks, and of marks that do not belong to a word, such as the soft hyphen. */
const blankNames = 'ensp emsp thinsp blank numsp';
const emptyNames = 'zwnj zwj lrm rlm shy';

const named = new Map<string, string>();

/** Names that browsers accept without the semicolon. */
const withoutSemicolon = new Set(['amp', 'lt', 'gt', 'quot', ...latin1Names.split(' ')]);

latin1Names.split(' ').forEach((name, i) => named.set(name, String.fromCharCode(0xa0 + i)));
greekNames.split(' ').forEach((name, i) => {
  named.set(name, String.fromCharCode(0x391 + i));
  named.set(name.toLowerCase(), String.fromCharCode(0x3b1 + i));
});
for (const table of [otherNames, isoNames]) {
  const words = table.split(' ');
  for (let i = 0; i < words.length; i += 2) named.set(words[i], words[i + 1]);
}
for (const name of blankNames.split(' ')) named.set(name, ' ');
for (const name of emptyNames.split(' ')) named.set(name, '');
// The code of the Greek block without a letter.
named.delete('-');

/** The treatment of an unknown `&name;`: literal text in web pages, an unavailable glyph in SGML files. */
type UnknownEntity = 'keep' | 'drop';

/** Replaces character references; other ampersands (`AT&T`, `a && b`) stay. */
export function decodeEntities(text: string, unknown: UnknownEntity = 'keep'): string {
  let at = text.indexOf('&');
  if (at === -1) return text;
  let decoded = '';
  let copied = 0;
  while (at !== -1) {
    const bodyStart = at + 1;
    let end = bodyStart;
    if (text.charCodeAt(end) === hash) end++;
    // Limits the search, so that a long word is not searched for every & before it.
    const limit = Math.min(text.length, end + longestName);
    while (end < limit && isAlphanumeric(text.charCodeAt(end))) end++;
    const closed = text.charCodeAt(end) === semicolon;
    const character = characterOf(text.slice(bodyStart, end), closed, unknown);
    if (character !== undefined) {
      decoded += text.slice(copied, at) + character;
      copied = closed ? end + 1 : end;
    }
    at = text.indexOf('&', end);
  }
  return copied === 0 ? text : decoded + text.slice(copied);
}

const hash = 0x23;
const semicolon = 0x3b;
const longestName = 32;

function isAlphanumeric(char: number): boolean {
  return (char >= 0x30 && char <= 0x39) || (char >= 0x41 && char <= 0x5a) || (char >= 0x61 && char <= 0x7a);
}

/** The characters of a reference between `&` and `;`; undefined where it is none. */
function characterOf(body: string, closed: boolean, unknown: UnknownEntity): string | undefined {
  if (body.charCodeAt(0) === hash) {
    const number = /^#(?:[xX]([0-9a-fA-F]+)|([0-9]+))$/.exec(body);
    if (number === null) return undefined;
    return fromCode(number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16));
  }
  if (!closed) return withoutSemicolon.has(body) ? named.get(body) : undefined;
  const character = named.get(body) ?? named.get(body.toLowerCase());
  if (character !== undefined || unknown === 'keep') return character;
  return /^[A-Za-z]/.test(body) ? '' : undefined;
}

function fromCode(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return code <= 0xff ? fromWindows1252(code) : String.fromCodePoint(code);
}
