import { describe, expect, test } from 'vitest';
import { passagesOf, wholeText } from '../../src/expansion/passages.js';

const shape = { length: 4, overlap: 2, titleWords: 30 };

describe('passages', () => {
  test('each have the title in front', () => {
    expect(passagesOf({ title: 'On  Plates', text: 'a b c d e f' }, shape)).toEqual([
      'On Plates a b c d',
      'On Plates c d e f',
    ]);
  });

  test('take no more than the first words of the title', () => {
    const title = Array.from({ length: 40 }, (_, i) => `t${i}`).join(' ');
    const [passage] = passagesOf({ title, text: 'a' }, shape);
    expect(passage.split(' ').length).toBe(31);
    expect(passage.endsWith('t29 a')).toBe(true);
  });

  test.each(['', '   ', '.', ' . ', undefined])('have no title in front where it is %j', (title) => {
    const document = title === undefined ? { text: 'a b' } : { title, text: 'a b' };
    expect(passagesOf(document, shape)).toEqual(['a b']);
  });

  test('leave titles out when no title words are wanted', () => {
    expect(passagesOf({ title: 'Title', text: 'a b' }, { ...shape, titleWords: 0 })).toEqual(['a b']);
  });

  test('of a document without words are its title, or none', () => {
    expect(passagesOf({ title: 'Only a title', text: ' \n' }, shape)).toEqual(['Only a title']);
    expect(passagesOf({ text: '' }, shape)).toEqual([]);
    expect(passagesOf({ title: '.', text: '' }, shape)).toEqual([]);
  });
});

test('the whole text of a document is its title and its words', () => {
  expect(wholeText({ title: 'On Plates', text: ' a  b' }, shape)).toBe('On Plates a b');
  expect(wholeText({ text: 'a b' }, shape)).toBe('a b');
});
