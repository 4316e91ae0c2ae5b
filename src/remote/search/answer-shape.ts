import { isJsonObject } from '../../common/json.js';

/**
 * A check of a part of an answer: returns the part, or throws {@link WrongShape} at its first fault. A schema library
 * would gather the faults of all elements, and an answer may have millions.
 */
export type Shape<T> = (value: unknown, at: string) => T;

/** The shape of an object with these checks, whose own parts have the type `T`. */
type ShapeOf<S> = S extends Shape<infer T> ? T : never;

/** A part of an answer that is not what it should be. */
export class WrongShape extends Error {
  constructor(at: string, expected: string) {
    super(`${at === '' ? 'it' : at} is not ${expected}`);
  }
}

export const anything: Shape<unknown> = (value) => value;

export const text: Shape<string> = (value, at) => {
  if (typeof value !== 'string') throw new WrongShape(at, 'a text');
  return value;
};

/** A number; JSON can hold one that is too large for a double. */
export const number: Shape<number> = (value, at) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new WrongShape(at, 'a number');
  return value;
};

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined || value === null ? undefined : shape(value, at);

export const list =
  <T>(shape: Shape<T>): Shape<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw new WrongShape(at, 'a list');
    value.forEach((element, i) => shape(element, `${at}[${i}]`));
    return value as T[];
  };

/** An object with any names, whose values have one shape. */
export const dictionary =
  <T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> =>
  (value, at) => {
    if (!isJsonObject(value)) throw new WrongShape(at, 'an object');
    for (const name of Object.keys(value)) shape(value[name], `${at}.${name}`);
    return value as Record<string, T>;
  };

/** An object with at least these fields. */
export const object =
  <S extends Readonly<Record<string, Shape<unknown>>>>(
    fields: S,
  ): Shape<{ readonly [K in keyof S]: ShapeOf<S[K]> }> =>
  (value, at) => {
    if (!isJsonObject(value)) throw new WrongShape(at, 'an object');
    for (const [name, shape] of Object.entries(fields))
      shape(value[name], at === '' ? name : `${at}.${name}`);
    return value as never;
  };
