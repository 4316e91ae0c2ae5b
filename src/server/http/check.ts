import { z } from 'zod';
import { describeIssues, misspeltField } from '../../common/schema-problems.js';
import { TimeSlice } from '../../common/yield.js';
import { HttpProblem } from './problem.js';

/** Faults that a message names. */
const shownFaults = 3;

/** The most elements of a list that is checked together with its request, and of any other array. */
const fewElements = 1000;

/** Elements between two checks of the clock. */
const elementsPerCheck = 64;

/**
 * Checks a request against its schema; the problem names the wrong fields, and the nearest right name of a misspelt one. A schema reports every wrong element of an
 * array, however many there are. So the elements of `list`, the field that may be long, are checked one by one until
 * a few faults are found.
 */
export async function check<S extends z.ZodRawShape, C extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<S, C>,
  value: unknown,
  list: keyof S & string,
): Promise<z.output<z.ZodObject<S, C>>> {
  if (typeof value !== 'object' || value === null) return checked(schema, value);
  const misspelt = misspeltField(schema, value);
  if (misspelt !== undefined) throw new HttpProblem('invalid_request', misspelt);
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(fields)) {
    if (name !== list && Array.isArray(field) && field.length > fewElements) {
      throw new HttpProblem('invalid_request', `${name}: has more than ${fewElements} elements.`);
    }
  }
  const elements: unknown = fields[list];
  if (!Array.isArray(elements) || elements.length <= fewElements) return checked(schema, value);
  const rest = checked(schema, { ...fields, [list]: [] });
  const accepted = await checkElements(elementOf(schema.shape[list]), elements, list);
  return { ...rest, [list]: accepted };
}

async function checkElements(
  schema: z.ZodType,
  elements: readonly unknown[],
  list: string,
): Promise<unknown[]> {
  const accepted: unknown[] = [];
  const issues: z.core.$ZodIssue[] = [];
  const slice = new TimeSlice();
  for (let i = 0; i < elements.length; i++) {
    if (i % elementsPerCheck === 0 && slice.isOver) await slice.yield();
    const outcome = schema.safeParse(elements[i]);
    if (outcome.success) {
      accepted.push(outcome.data);
      continue;
    }
    for (const issue of outcome.error.issues) issues.push({ ...issue, path: [list, i, ...issue.path] });
    if (issues.length > shownFaults) break;
  }
  if (issues.length === 0) return accepted;
  const line = describeIssues(new z.ZodError(issues.slice(0, shownFaults)));
  // The others were not looked for.
  const isAll = issues.length <= shownFaults;
  throw new HttpProblem('invalid_request', isAll ? line : `${line.slice(0, -1)} (and more).`);
}

/** The schema of the elements of an array, which may be optional. */
function elementOf(schema: unknown): z.ZodType {
  const array = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return (array as z.ZodArray<z.ZodType>).element;
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  throw new HttpProblem('invalid_request', describeIssues(outcome.error));
}
