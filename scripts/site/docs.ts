import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  copyFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, sep } from 'node:path';
import { anchorsOf } from '../markdown-links.js';
import { withPlots } from './plots.js';
import { contentsOf, linkOf, pageOf, readPages, type Page } from './pages.js';

/** The parts of Eleventy, and of the Markdown parser in it, that are used. */
interface Eleventy {
  toJSON(): Promise<{ url: string; content: string; outputPath: string }[]>;
}
type EleventyClass = new (input: string, output: string, options: object) => Eleventy;
interface Token {
  attrs: unknown;
  content: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
type Rule = (
  tokens: Token[],
  at: number,
  options: unknown,
  env: Env,
  self: { renderToken: Function },
) => string;
interface Env {
  page: { inputPath: string };
  headings?: number;
}

/** Renders the documents of the repository as pages of the site, with Eleventy; returns the pages. */
export async function renderDocs(root: string, out: string, policy: string): Promise<readonly Page[]> {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.split(sep).join('/')}`)
    .filter((file) => file.endsWith('.md'))
    .sort();
  const pages = readPages(root, files);
  const groups = [...new Set(pages.map(({ group }) => group))].map((name) => ({
    name,
    pages: pages.filter(({ group }) => group === name).map(({ url, title }) => ({ url, title })),
  }));
  const assets = new Set<string>();
  // The longest: the path of every README ends with that of the repository's own.
  const pageIn = ({ page }: Env): Page =>
    pages
      .filter(({ file }) => page.inputPath.split(sep).join('/').endsWith(`/${file}`))
      .reduce((longest, one) => (one.file.length > longest.file.length ? one : longest));
  const work = mkdtempSync(join(tmpdir(), 'bert-qe-site-'));
  try {
    mkdirSync(join(work, '_includes'));
    copyFileSync(join(root, 'web/site/layout.liquid'), join(work, '_includes/layout.liquid'));
    for (const page of pages) {
      const top = posix.relative(dirname(page.url), '.') || '.';
      const data = {
        layout: 'layout.liquid',
        permalink: page.url,
        title: page.title,
        here: page.url,
        top: `${top}/`,
        policy,
        groups,
        contents: contentsOf(page),
      };
      mkdirSync(dirname(join(work, page.file)), { recursive: true });
      const { text, files } = withPlots(page.file, page.text);
      for (const [file, content] of files) {
        mkdirSync(dirname(join(out, file)), { recursive: true });
        writeFileSync(join(out, file), content);
      }
      writeFileSync(join(work, page.file), `---json\n${JSON.stringify(data)}\n---\n${text}`);
    }
    const generator = join(root, 'web/site/node_modules/@11ty/eleventy/src/Eleventy.js');
    const { default: EleventyOf } = (await import(generator)) as { default: EleventyClass };
    const eleventy = new EleventyOf(work, out, {
      quietMode: true,
      configPath: null,
      config: (config: Record<string, Function>) => {
        config['setTemplateFormats'](['md']);
        config['amendLibrary']('md', (markdown: { renderer: { rules: Record<string, Rule> } }) => {
          markdown.renderer.rules['heading_open'] = (tokens, at, options, env, self) => {
            env.headings = (env.headings ?? 0) + 1;
            tokens[at].attrSet('id', anchorsOf(pageIn(env).text)[env.headings - 1]);
            return self.renderToken(tokens, at, options) as string;
          };
          markdown.renderer.rules['link_open'] = (tokens, at, options, env, self) => {
            const href = tokens[at].attrGet('href') ?? '';
            const link = linkOf(href, pageIn(env), pages, assets, root);
            // In the repository a page is named by its file, here by its title.
            const text = tokens[at + 1];
            if (text.content.endsWith('.md'))
              text.content = pageOf(href, pageIn(env), pages)?.title ?? text.content;
            // A link to what is not on the site stays a text.
            if (link === undefined) tokens[at].attrs = null;
            else tokens[at].attrSet('href', link);
            return self.renderToken(tokens, at, options) as string;
          };
          // Wide tables scroll; the tab stop makes that possible with the keyboard.
          markdown.renderer.rules['table_open'] = () => '<table tabindex="0">';
          for (const kind of ['fence', 'code_block']) {
            const render = markdown.renderer.rules[kind];
            markdown.renderer.rules[kind] = (...call) => render(...call).replace('<pre', '<pre tabindex="0"');
          }
          const image = markdown.renderer.rules['image'];
          markdown.renderer.rules['image'] = (tokens, at, options, env, self) => {
            const link = linkOf(tokens[at].attrGet('src') ?? '', pageIn(env), pages, assets, root);
            // Plots are not in the repository: their addresses stay.
            if (link !== undefined) tokens[at].attrSet('src', link);
            return image(tokens, at, options, env, self);
          };
        });
        return {
          markdownTemplateEngine: false,
          dir: { input: '.', includes: '_includes' },
        };
      },
    });
    for (const { content, url } of await eleventy.toJSON()) {
      const path = join(out, url.endsWith('/') ? `${url}index.html` : url);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  for (const file of assets) {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    writeFileSync(join(out, file), readFileSync(join(root, file)));
  }
  return pages;
}
