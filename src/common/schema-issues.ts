import type { z } from 'zod';

/** Issues that are named; the rest are counted. */
const mostNamed = 3;

/** One line about the values that a schema refuses, each with the name of its field. */
export function describeIssues({ issues }: z.ZodError): string {
  const named = issues.slice(0, mostNamed).map(({ path, message }) => `${fieldName(path)}${message}`);
  const more = issues.length > mostNamed ? ` (and ${issues.length - mostNamed} more)` : '';
  return `${named.join('; ')}${more}.`;
}

function fieldName(path: readonly PropertyKey[]): string {
  const parts = path.map((part, i) =>
    typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
  );
  return parts.length > 0 ? `${parts.join('')}: ` : '';
}
