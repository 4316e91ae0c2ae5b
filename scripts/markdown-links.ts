import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The relative links of a document that lead to no file, or to no heading of one. */
export function brokenLinks(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, path, anchor]) => {
      const target = path === '' ? join(root, file) : join(root, dirname(file), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
    })
    .map(([link]) => link);
}

/** The anchors of a document's headings as GitHub makes them: numbered where they would be the same. */
export function anchorsOf(text: string): string[] {
  const slugs = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return slugs.map((slug, i) => {
    const times = slugs.slice(0, i).filter((earlier) => earlier === slug).length;
    return times === 0 ? slug : `${slug}-${times}`;
  });
}
