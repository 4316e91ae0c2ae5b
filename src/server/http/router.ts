import { namedRoutes, type RouteName, type RouteSpec } from '../routes.js';

/** A route with the values of its path parameters. */
export interface RouteMatch {
  readonly name: RouteName;
  readonly route: RouteSpec;
  readonly parameters: Readonly<Record<string, string>>;
}

const byPath = new Map<string, RouteMatch>();
const patterns: { readonly name: RouteName; readonly route: RouteSpec; readonly pattern: RegExp }[] = [];

for (const [name, route] of namedRoutes) {
  if (route.parameters) patterns.push({ name, route, pattern: patternOf(route.path) });
  else byPath.set(route.path, { name, route, parameters: {} });
}

/** The route of a path as it came, percent-encoded; undefined for a file of the page. */
export function matchRoute(path: string): RouteMatch | undefined {
  const exact = byPath.get(path);
  if (exact) return exact;
  for (const { name, route, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match) return { name, route, parameters: decoded(match.groups!) };
  }
  return undefined;
}

/** `{id}` stands for a segment; the last parameter may hold slashes, as document ids do. */
function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)\}$/, '(?<$1>.+)').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, percentDecoded(value)]));
}

/** The decoded text; the text itself if it is not percent-encoded. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
