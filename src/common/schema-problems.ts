import { z } from 'zod';
import { clip } from './clip.js';
import { closest } from './closest.js';

/** Bounds of the work for a value that someone else wrote: fields that are looked at, and characters of their names. */
const mostFields = 64;
const longestName = 40;

/**
 * One line about a field that an object schema does not have and that is nearly the name of one it has; undefined if
 * there is none. Fields that resemble nothing are left to the schema: clients of other services may send their own.
 */
export function misspeltField(schema: z.ZodType, value: unknown, path = ''): string | undefined {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return undefined;
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  const fields = value as Readonly<Record<string, unknown>>;
  const absent = Object.keys(shape).filter((name) => !Object.hasOwn(fields, name));
  for (const name of Object.keys(fields).slice(0, mostFields)) {
    if (Object.hasOwn(shape, name)) {
      const problem = misspeltField(shape[name], fields[name], `${path}${name}.`);
      if (problem !== undefined) return problem;
      continue;
    }
    const near = name.length > longestName ? undefined : closest(name, absent);
    if (near !== undefined) return `${path}${name}: there is no such field; did you mean ${near}?`;
  }
  return undefined;
}

/** The schema of a value that may be left out or is transformed. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType);
  return schema;
}

/** Issues that are named; the rest are counted. An issue may quote what someone else wrote. */
const mostNamed = 3;
const longestProblem = 300;

/** One line about the values that a schema refuses, each with the name of its field. */
export function describeIssues({ issues }: z.ZodError): string {
  const named = issues
    .slice(0, mostNamed)
    .map(({ path, message }) => clip(`${fieldName(path)}${message}`, longestProblem));
  const more = issues.length > mostNamed ? ` (and ${issues.length - mostNamed} more)` : '';
  return `${named.join('; ')}${more}.`;
}

function fieldName(path: readonly PropertyKey[]): string {
  const parts = path.map((part, i) =>
    typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
  );
  return parts.length > 0 ? `${parts.join('')}: ` : '';
}
