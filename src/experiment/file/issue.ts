import type { z } from 'zod';
import { isNode } from 'yaml';
import { clip } from '../../common/clip.js';

type Issue = z.core.$ZodIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list ([…] or lines that begin with "-")',
  object: 'named fields ("name: value")',
  record: 'named fields ("name: value")',
  boolean: 'true or false',
};

/** A line that names the field, what was expected and what was found. */
export function describeIssue(issue: Issue, found: unknown): string {
  const field = issue.path.length === 0 ? 'the file' : issue.path.map(String).join('.');
  return `${field}: ${problem(issue, found)}.`;
}

function problem(issue: Issue, found: unknown): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `there is no field ${issue.keys.map((key) => `"${key}"`).join(', ')} here; see docs/experiments.md`;
    case 'invalid_type':
      if (found === undefined) return `is missing; expected ${kindOf(issue.expected)}`;
      return `expected ${kindOf(issue.expected)}, found ${show(found)}`;
    case 'invalid_value':
      if (issue.message !== '' && !issue.message.startsWith('Invalid')) return issue.message;
      return `expected ${issue.values.map(String).join(', ')}${found === undefined ? '' : `, found ${show(found)}`}`;
    case 'invalid_key':
      return issue.issues[0]?.code === 'custom'
        ? issue.issues[0].message
        : `is not a name that can stand here${firstOptions(issue.issues)}`;
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}, found ${show(found)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}, found ${show(found)}`;
    case 'invalid_union':
      return unionProblem(issue, found);
    default:
      return `${issue.message.replace(/\.$/, '')}${issue.code === 'custom' ? '' : `, found ${show(found)}`}`;
  }
}

/** The problem with the form that has the right kind; where none has, all forms are listed. */
function unionProblem(issue: Extract<Issue, { code: 'invalid_union' }>, found: unknown): string {
  const forms = issue.errors.map((issues) => issues[0]);
  const closest = forms.find((form) => form && !(form.code === 'invalid_type' && form.path.length === 0));
  if (closest) {
    const inner = closest.path.length > 0 ? `${closest.path.map(String).join('.')}: ` : '';
    return inner + problem(closest, closest.path.length > 0 ? undefined : found);
  }
  const expected = forms.map((form) => (form?.code === 'invalid_type' ? kindOf(form.expected) : ''));
  return found === undefined
    ? `is missing; expected ${expected.join(' or ')}`
    : `expected ${expected.join(' or ')}, found ${show(found)}`;
}

function firstOptions(issues: readonly Issue[]): string {
  const [first] = issues;
  return first?.code === 'invalid_value' ? `; expected ${first.values.map(String).join(', ')}` : '';
}

function kindOf(expected: string): string {
  return kinds[expected] ?? expected;
}

function show(found: unknown): string {
  const value: unknown = isNode(found) ? found.toJSON() : found;
  const text = JSON.stringify(value) ?? String(value);
  return clip(text, 60);
}
