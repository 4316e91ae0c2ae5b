import { escapeText } from '../common/plot/svg.js';
import { jsonSchema, openApiDocument } from './openapi.js';
import { methodOf, namedRoutes, type RouteSpec } from './routes.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** The description of a server's API, for programs and for people. Both are made on first use, to start sooner. */
export class ApiDescription {
  #openApi: string | undefined;
  #page: string | undefined;

  constructor(
    private readonly version: string,
    private readonly needsKey: boolean,
  ) {}

  get openApi(): string {
    return (this.#openApi ??= JSON.stringify(openApiDocument(this.version, this.needsKey)));
  }

  get page(): string {
    return (this.#page ??= apiPage(this.version, this.needsKey));
  }
}

/** The description of the API as a page without scripts, made of the schemas that requests are checked with. */
function apiPage(version: string, needsKey: boolean): string {
  const tags = [...new Set(namedRoutes.map(([, { tag }]) => tag))];
  const nav = tags.map((tag) => {
    const links = namedRoutes
      .filter(([, route]) => route.tag === tag)
      .map(([name, route]) => `<li><a href="#${name}">${methodOf(route)} ${escapeText(route.path)}</a></li>`);
    return `<h2>${tag}</h2><ul>${links.join('')}</ul>`;
  });
  const key = needsKey
    ? '<p>Send your key with every request: <code>Authorization: Bearer KEY</code>.</p>'
    : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>bert-qe: the API</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Routes"><p><a href="/">bert-qe</a> ${escapeText(version)}</p>${nav.join('')}<p><a href="/openapi.json">openapi.json</a></p></nav>
<main>
<h1>The API</h1>
<p>One server for clients of Cohere, Jina, Voyage and TEI, and for search in three phases. Bodies and answers are JSON.</p>
${key}${namedRoutes.map(([name, route]) => section(name, route)).join('\n')}
</main>
</body>
</html>
`;
}

function section(name: string, route: RouteSpec): string {
  const parts = [
    `<section id="${name}"><h2><code>${methodOf(route)} ${escapeText(route.path)}</code></h2>`,
    `<p>${prose(route.summary)}.${route.description ? ` ${prose(route.description)}` : ''}</p>`,
  ];
  if (route.parameters) {
    const rows = Object.entries(route.parameters).map(
      ([name, about]) => `<dt><code>${name}</code></dt><dd>${prose(about)}</dd>`,
    );
    parts.push(`<dl>${rows.join('')}</dl>`);
  }
  if (route.request) parts.push('<h3>Request</h3>', fields(jsonSchema(route.request, 'input') as Schema));
  if (route.example !== undefined)
    parts.push(`<pre tabindex="0"><code>${escapeText(curl(route))}</code></pre>`);
  for (const [status, { description, schema }] of Object.entries(route.answers)) {
    parts.push(`<h3>${status}</h3><p>${prose(description)}</p>`);
    if (schema) parts.push(fields(jsonSchema(schema, 'output') as Schema));
  }
  return `${parts.join('\n')}</section>`;
}

/** A list of the fields of an object; those of nested objects open on a click. */
function fields(schema: Schema): string {
  if (schema.anyOf && !schema.properties) {
    return schema.anyOf.map((one, i) => `${i > 0 ? '<p>or</p>' : ''}${fields(one)}`).join('');
  }
  if (schema.type === 'array' && schema.items) return `<p>An array of:</p>${fields(schema.items)}`;
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const inner = nested(field);
    const about = `<small>${escapeText(typeOf(field))}${schema.required?.includes(name) ? ', required' : ''}</small> ${prose(descriptionOf(field))}`;
    const more = inner ? `<details><summary>its fields</summary>${fields(inner)}</details>` : '';
    return `<dt><code>${escapeText(name)}</code></dt><dd>${about}${more}</dd>`;
  });
  return rows.length > 0 ? `<dl>${rows.join('')}</dl>` : '';
}

/** The description of a field, or of its alternative to null. */
function descriptionOf(field: Schema): string {
  return (
    field.description ?? field.anyOf?.find(({ description }) => description !== undefined)?.description ?? ''
  );
}

/** The object that a field holds, directly, in a list, or as an alternative. */
function nested(field: Schema): Schema | undefined {
  if (field.properties) return field;
  if (field.items) return nested(field.items);
  return field.anyOf?.map(nested).find((one) => one !== undefined);
}

function typeOf(field: Schema): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (field.anyOf) return field.anyOf.map(typeOf).join(' | ');
  if (field.type === 'array') return `${field.items ? typeOf(field.items) : 'any'}[]`;
  return Array.isArray(field.type) ? field.type.join(' | ') : String(field.type ?? 'any');
}

function curl({ path, example }: RouteSpec): string {
  return `curl http://127.0.0.1:8080${path} -H 'Content-Type: application/json' -d '${JSON.stringify(example, null, 2)}'`;
}

/** HTML of a text in which back-ticks mark `code`. */
function prose(raw: string): string {
  return escapeText(raw).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

const style = `
:root{font:16px/1.5 system-ui,sans-serif;color:CanvasText;background:Canvas}
body{margin:0;display:grid;grid-template-columns:16rem minmax(0,50rem);gap:2rem;padding:1rem}
nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto;font-size:.9rem}
nav h2{font-size:1rem;margin:1rem 0 .25rem}nav ul{list-style:none;margin:0;padding:0}
section{border-top:1px solid GrayText;padding-top:.5rem;margin-top:2rem}
h2 code{font-size:1.1rem}code,pre{font-family:ui-monospace,monospace;font-size:.9em}
pre{overflow:auto;border:1px solid GrayText;border-radius:.4rem;padding:.75rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.5rem 0}dd{margin:0}
details{margin:.25rem 0}summary{cursor:pointer}
@media(max-width:48rem){body{display:block}nav{position:static;max-height:none}dl{display:block}dd{margin:0 0 .5rem 1rem}}
`;
