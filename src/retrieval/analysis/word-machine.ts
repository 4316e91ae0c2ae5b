import { codePointAt } from './text-units.js';
import { WORD_BREAK_CLASSES, WordBreak, wordBreakOf, type WordBreakName } from './word-break.js';

/**
 * The rules of tokens as a state machine over {@link WordBreak} classes: the word rules of UAX #29 (WB4–WB13b) and the
 * emoji sequences of UTS #51, in Lucene's combination. A token is the longest text that ends in an accepting state.
 *
 * A state lists the next state for each class; a class that it does not list ends the token.
 */
type Moves = Partial<Record<WordBreakName, State>>;

type State = keyof typeof accepting | keyof typeof pending;

/** WB4: characters that may follow in any word without changing the state. */
const extendedBy = <S extends string>(state: S) => ({
  ...plainlyExtendedBy(state),
  TextSelector: state,
  EmojiSelector: state,
});

/** The same for states in which text and emoji selectors have their own meaning. */
const plainlyExtendedBy = <S extends string>(state: S) => ({
  Extend: state,
  SouthEastAsianMark: state,
  EmojiModifier: state,
  Keycap: state,
  Joiner: state,
  Tag: state,
  TagEnd: state,
});

/** WB5, 9, 10, 13a: classes that may follow a letter or a number. */
const alphanumeric = {
  Letter: 'letter',
  EmojiLetter: 'letter',
  Hebrew: 'hebrew',
  Numeric: 'number',
  ExtendNumLet: 'link',
} as const;
/** WB6, 7: classes between two letters. */
const midLetter = { MidLetter: 'midLetter', MidNumLet: 'midLetter', SingleQuote: 'midLetter' } as const;
/** WB11, 12: classes between two numbers. */
const midNumber = { MidNum: 'midNumber', MidNumLet: 'midNumber', SingleQuote: 'midNumber' } as const;

/** The states in which a token may end. */
const accepting = {
  letter: { ...extendedBy('letter'), ...alphanumeric, ...midLetter },
  // WB7a–c: a quotation mark joins only from a Hebrew letter that no earlier mark has joined.
  hebrew: {
    ...extendedBy('hebrew'),
    ...alphanumeric,
    ...midLetter,
    SingleQuote: 'hebrewMarked',
    DoubleQuote: 'hebrewDoubleQuote',
  },
  // No mark follows a letter that a mark has joined.
  hebrewMarked: { ...extendedBy('hebrewMarked'), ...alphanumeric },
  number: { ...extendedBy('number'), ...alphanumeric, ...midNumber },
  katakana: { ...extendedBy('katakana'), Katakana: 'katakana', ExtendNumLet: 'link' },
  link: { ...extendedBy('link'), ...alphanumeric, Katakana: 'katakana' },
  ideograph: extendedBy('ideograph'),
  southEastAsian: { ...extendedBy('southEastAsian'), SouthEastAsian: 'southEastAsian' },
  flag: extendedBy('flag'),
  keycap: { ...plainlyExtendedBy('keycap'), EmojiSelector: 'keycapSelected' },
  keycapAfterSelector: plainlyExtendedBy('keycapAfterSelector'),
  // An emoji and its marks. Another emoji may follow a joiner.
  emoji: { ...plainlyExtendedBy('emoji'), Joiner: 'emojiJoined', EmojiSelector: 'emojiSelected' },
  emojiJoined: {
    ...plainlyExtendedBy('emoji'),
    Joiner: 'emojiJoined',
    EmojiSelector: 'emojiSelected',
    Emoji: 'nextEmoji',
    EmojiLetter: 'nextEmoji',
  },
  // Tags make a flag of the first emoji only, after the selector.
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
} as const;

/** The states in which more must follow; otherwise the token ends at the last accepting state. */
const pending = {
  // WB13b: underscores may begin a word, and are no word alone.
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
} as const;

/** The state after the first character of a token. */
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
const states: Readonly<Record<State, Moves>> = { ...pending, ...accepting };
const names = Object.keys(states) as State[];
const FIRST_ACCEPTING = 1 + Object.keys(pending).length;
const idOf = (name: State): number => 1 + names.indexOf(name);

/** The next state by state and class; row 0 holds the beginnings. */
const moves = new Uint8Array((1 + names.length) * WORD_BREAK_CLASSES);
fill(0, beginnings);
for (const name of names) fill(idOf(name), states[name]);

/**
 * The end of the token that begins at `start`, at most `limit` (which must not split a surrogate pair); `start` where no
 * token begins there.
 */
export function tokenEnd(codes: Uint16Array, start: number, limit: number): number {
  const codePoint = codePointAt(codes, start, limit);
  const first = wordBreakOf(codePoint);
  const next = start + width(codePoint);
  const end = run(codes, start, next, limit, moves[first]);
  if (first !== WordBreak.EmojiLetter) return end;
  // The character is both a letter and an emoji: the longer token wins.
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
    state = moves[state * WORD_BREAK_CLASSES + wordBreakOf(codePoint)];
    at += width(codePoint);
  }
  return end;
}

/** The number of UTF-16 units of a code point. */
export function width(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
}

function fill(row: number, rules: Moves): void {
  for (const [name, state] of Object.entries(rules)) {
    moves[row * WORD_BREAK_CLASSES + WordBreak[name as WordBreakName]] = idOf(state);
  }
}
