import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { documents } from './blocks.js';

const root = join(import.meta.dirname, '../..');

/** Headings as GitHub makes anchors of them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

// docs/api numbers headings that are alike; its own test looks after its links.
test.each(documents(root).filter((file) => !file.startsWith('docs/api/')))(
  'the links of %s lead somewhere',
  (file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    const broken = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([link, path, anchor]) => {
        const target = path === '' ? join(root, file) : join(root, dirname(file), path);
        if (!existsSync(target)) return [link];
        if (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)) return [];
        return [link];
      },
    );
    expect(broken).toEqual([]);
  },
);
