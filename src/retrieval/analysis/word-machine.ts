import { codePointAt } from './text-units.js';
import { WORD_BREAK_CLASSES, WordBreak, wordBreakOf, type WordBreakName } from './word-break.js';

/**
 * Which characters make one token, as a state machine over {@link WordBreak} classes: the word rules of UAX #29
 * (WB4–WB13b) and the emoji sequences of UTS #51, as Lucene's standard tokenizer puts them together. The token is
 * the longest text that ends in an accepting state; characters looked at beyond it are read again.
 *
 * A state lists where each class leads; a class it does not list ends the token.
 */
type Moves = Partial<Record<WordBreakName, State>>;

/** A token may end here. */
type Accepting =
  | 'letter'
  | 'hebrew'
  | 'hebrewMarked'
  | 'number'
  | 'katakana'
  | 'link'
  | 'ideograph'
  | 'southEastAsian'
  | 'flag'
  | 'keycap'
  | 'keycapAfterSelector'
  | 'emoji'
  | 'emojiJoined'
  | 'emojiSelected'
  | 'tagged'
  | 'nextEmoji'
  | 'nextEmojiJoined'
  | 'nextEmojiSelected'
  | 'modifier'
  | 'modifierJoined';

/** More must come, or what was read here is given back. */
type Pending =
  | 'lead'
  | 'midLetter'
  | 'midNumber'
  | 'hebrewDoubleQuote'
  | 'region'
  | 'keycapBase'
  | 'keycapSelected'
  | 'joiners'
  | 'selectedJoiner'
  | 'selectedJoiners'
  | 'tags';

type State = Accepting | Pending;

/** WB4: whatever a word rule accepts may be followed by these, without change. */
const extendedBy = (state: State): Moves => ({
  ...plainlyExtendedBy(state),
  TextSelector: state,
  EmojiSelector: state,
});

/** The same, where the selectors that turn a character into text or emoji have a meaning of their own. */
const plainlyExtendedBy = (state: State): Moves => ({
  Extend: state,
  SouthEastAsianMark: state,
  EmojiModifier: state,
  Keycap: state,
  Joiner: state,
  Tag: state,
  TagEnd: state,
});

/** WB5, 9, 10, 13a: what may follow a letter or a number directly. */
const alphanumeric: Moves = {
  Letter: 'letter',
  EmojiLetter: 'letter',
  Hebrew: 'hebrew',
  Numeric: 'number',
  ExtendNumLet: 'link',
};
/** WB6, 7: what may stand between two letters. */
const midLetter: Moves = { MidLetter: 'midLetter', MidNumLet: 'midLetter', SingleQuote: 'midLetter' };
/** WB11, 12: what may stand between two numbers. */
const midNumber: Moves = { MidNum: 'midNumber', MidNumLet: 'midNumber', SingleQuote: 'midNumber' };

const accepting: Record<Accepting, Moves> = {
  letter: { ...extendedBy('letter'), ...alphanumeric, ...midLetter },
  // WB7a–c: a quotation mark joins only from a Hebrew letter that no earlier mark has joined.
  hebrew: {
    ...extendedBy('hebrew'),
    ...alphanumeric,
    ...midLetter,
    SingleQuote: 'hebrewMarked',
    DoubleQuote: 'hebrewDoubleQuote',
  },
  // …and what it has joined takes no mark after it.
  hebrewMarked: { ...extendedBy('hebrewMarked'), ...alphanumeric },
  number: { ...extendedBy('number'), ...alphanumeric, ...midNumber },
  katakana: { ...extendedBy('katakana'), Katakana: 'katakana', ExtendNumLet: 'link' },
  link: { ...extendedBy('link'), ...alphanumeric, Katakana: 'katakana' },
  ideograph: extendedBy('ideograph'),
  southEastAsian: { ...extendedBy('southEastAsian'), SouthEastAsian: 'southEastAsian' },
  flag: extendedBy('flag'),
  keycap: { ...plainlyExtendedBy('keycap'), EmojiSelector: 'keycapSelected' },
  keycapAfterSelector: plainlyExtendedBy('keycapAfterSelector'),
  // An emoji and its marks; once a joiner is the last of these, another emoji may follow.
  emoji: { ...plainlyExtendedBy('emoji'), Joiner: 'emojiJoined', EmojiSelector: 'emojiSelected' },
  emojiJoined: {
    ...plainlyExtendedBy('emoji'),
    Joiner: 'emojiJoined',
    EmojiSelector: 'emojiSelected',
    Emoji: 'nextEmoji',
    EmojiLetter: 'nextEmoji',
  },
  // Tags make a flag of the first emoji only, and need the selector to be told from its marks.
  emojiSelected: { Joiner: 'selectedJoiner', Tag: 'tags' },
  tagged: {},
  nextEmoji: {
    ...plainlyExtendedBy('nextEmoji'),
    Joiner: 'nextEmojiJoined',
    EmojiSelector: 'nextEmojiSelected',
  },
  nextEmojiJoined: {
    ...plainlyExtendedBy('nextEmoji'),
    Joiner: 'nextEmojiJoined',
    EmojiSelector: 'nextEmojiSelected',
    Emoji: 'nextEmoji',
    EmojiLetter: 'nextEmoji',
  },
  nextEmojiSelected: { Joiner: 'selectedJoiner' },
  modifier: { ...plainlyExtendedBy('modifier'), Joiner: 'modifierJoined' },
  modifierJoined: {
    ...plainlyExtendedBy('modifier'),
    Joiner: 'modifierJoined',
    Emoji: 'nextEmoji',
    EmojiLetter: 'nextEmoji',
  },
};

const pending: Record<Pending, Moves> = {
  // WB13b: underscores lead into a word, and are none by themselves.
  lead: { ...extendedBy('lead'), ...alphanumeric, ExtendNumLet: 'lead', Katakana: 'katakana' },
  midLetter: { ...extendedBy('midLetter'), Letter: 'letter', EmojiLetter: 'letter', Hebrew: 'letter' },
  midNumber: { ...extendedBy('midNumber'), Numeric: 'number' },
  hebrewDoubleQuote: { ...extendedBy('hebrewDoubleQuote'), Hebrew: 'hebrewMarked' },
  region: { ...extendedBy('region'), Region: 'flag' },
  keycapBase: { ...plainlyExtendedBy('keycapBase'), Keycap: 'keycap', EmojiSelector: 'keycapSelected' },
  keycapSelected: { Keycap: 'keycapAfterSelector' },
  joiners: { Joiner: 'joiners', Emoji: 'emoji', EmojiLetter: 'emoji' },
  selectedJoiner: {
    Joiner: 'selectedJoiners',
    Emoji: 'nextEmoji',
    EmojiLetter: 'nextEmoji',
    EmojiModifier: 'modifier',
  },
  selectedJoiners: { Joiner: 'selectedJoiners', Emoji: 'nextEmoji', EmojiLetter: 'nextEmoji' },
  tags: { Tag: 'tags', TagEnd: 'tagged' },
};

/** Where a token begins: the state after its first character. */
const beginnings: Moves = {
  ...alphanumeric,
  ExtendNumLet: 'lead',
  Katakana: 'katakana',
  Ideograph: 'ideograph',
  SouthEastAsian: 'southEastAsian',
  SouthEastAsianMark: 'southEastAsian',
  Region: 'region',
  KeycapBase: 'keycapBase',
  Emoji: 'emoji',
  EmojiModifier: 'modifier',
  Joiner: 'joiners',
};

const END = 0;
const names = [...Object.keys(pending), ...Object.keys(accepting)] as State[];
const FIRST_ACCEPTING = 1 + Object.keys(pending).length;
const idOf = (name: State): number => 1 + names.indexOf(name);

/** State × class → state; row 0 holds the beginnings. */
const moves = new Uint8Array((1 + names.length) * WORD_BREAK_CLASSES);
fill(0, beginnings);
for (const name of names) fill(idOf(name), { ...pending, ...accepting }[name]);

/**
 * Where the token that begins at `start` ends, looking no further than `limit` (which must not split a surrogate
 * pair); `start` itself where none begins there.
 */
export function tokenEnd(codes: Uint16Array, start: number, limit: number): number {
  const codePoint = codePointAt(codes, start, limit);
  const first = wordBreakOf(codePoint);
  const next = start + width(codePoint);
  const end = run(codes, start, next, limit, moves[first]!);
  if (first !== WordBreak.EmojiLetter) return end;
  // Both a letter and an emoji: the longer of the two readings wins.
  return Math.max(end, run(codes, start, next, limit, idOf('emoji')));
}

function run(codes: Uint16Array, start: number, next: number, limit: number, initial: number): number {
  let state = initial;
  let end = start;
  let at = next;
  while (state !== END) {
    if (state >= FIRST_ACCEPTING) end = at;
    if (at >= limit) break;
    const codePoint = codePointAt(codes, at, limit);
    state = moves[state * WORD_BREAK_CLASSES + wordBreakOf(codePoint)]!;
    at += width(codePoint);
  }
  return end;
}

/** UTF-16 units of a code point. */
export function width(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
}

function fill(row: number, rules: Moves): void {
  for (const [name, state] of Object.entries(rules)) {
    moves[row * WORD_BREAK_CLASSES + WordBreak[name as WordBreakName]] = idOf(state);
  }
}
