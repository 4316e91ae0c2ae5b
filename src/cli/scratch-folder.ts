import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Says how something is closed later, as `openAll` takes it. */
export type CloseLater = (close: () => Promise<unknown>) => void;

/** A fresh folder that goes when all is closed. A kill leaves it behind, so it is made only where it is needed. */
export async function scratchFolder(closeLater: CloseLater): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bert-qe-'));
  closeLater(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
