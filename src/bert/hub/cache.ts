import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { usageError } from '../../common/errors.js';
import { hashText } from '../../common/hash.js';
import { systemCode, writeFailure } from '../../common/io-errors.js';
import { writeFileAtomic } from '../../common/atomic.js';

/**
 * One model in the hub's usual cache layout, shared with other programs:
 *
 *     models--owner--name/blobs/<etag>                   contents
 *     models--owner--name/refs/<revision>                the commit that a branch or tag stood for
 *     models--owner--name/snapshots/<commit>/<path>      links to blobs
 */
export class ModelCache {
  /** The folder of locks on this model's blobs. */
  readonly locks: string;
  private readonly root: string;

  constructor(
    private readonly repository: string,
    cacheDir: string,
  ) {
    if (!/^(?:[\w.-]+\/)?[\w.-]+$/.test(repository) || /(?:^|\/)\.+(?:\/|$)|--|\.\./.test(repository)) {
      throw usageError(`"${repository}" is not the name of a model on a hub; expected owner/name`);
    }
    const name = `models--${repository.replace('/', '--')}`;
    this.root = join(cacheDir, name);
    this.locks = join(cacheDir, '.locks', name);
  }

  blobPath(etag: string): string {
    // An ETag need not be a file name.
    const name = /^[\w-][\w.-]{0,120}$/.test(etag) ? etag : hashText(etag);
    return join(this.root, 'blobs', name);
  }

  snapshotFolder(commit: string): string {
    return join(this.root, 'snapshots', commit);
  }

  /** True where the content is present, in full size where that is known. */
  async hasBlob(etag: string, size: number | undefined): Promise<boolean> {
    const found = await stat(this.blobPath(etag)).catch(() => undefined);
    return found !== undefined && found.size > 0 && found.size === (size ?? found.size);
  }

  /** Links a file of a snapshot to its content; copies it where links are not allowed. */
  async link(commit: string, path: string, etag: string): Promise<void> {
    const target = this.blobPath(etag);
    const place = join(this.snapshotFolder(commit), ...path.split('/'));
    const temporary = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      await mkdir(dirname(place), { recursive: true });
      await symlink(relative(dirname(place), target), temporary).catch(async (error: unknown) => {
        if (systemCode(error) !== 'EPERM' && systemCode(error) !== 'ENOSYS') throw error;
        await copyFile(target, temporary);
      });
      await rename(temporary, place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw writeFailure(place, error);
    }
  }

  /** Records the commit of a revision, once its snapshot is complete. */
  async saveRevision(revision: string, commit: string): Promise<void> {
    if (revision === commit) return;
    const path = this.revisionPath(revision);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, commit);
  }

  /** The commit that a revision stood for when it was last fetched. */
  async commitOf(revision: string): Promise<string | undefined> {
    try {
      const commit = (await readFile(this.revisionPath(revision), 'utf8')).trim();
      return /^[\w-]+$/.test(commit) ? commit : undefined;
    } catch {
      return /^[0-9a-f]{40}$/.test(revision) ? revision : undefined;
    }
  }

  /** The files of a snapshot whose content is present. */
  async snapshotFiles(commit: string): Promise<string[]> {
    const folder = this.snapshotFolder(commit);
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const present: string[] = [];
    for (const name of names.sort()) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found?.isFile() && found.size > 0) present.push(name.split(sep).join('/'));
    }
    return present;
  }

  private revisionPath(revision: string): string {
    if (!/^[\w./-]+$/.test(revision) || /(?:^|\/)\.{0,2}(?:\/|$)/.test(revision)) {
      throw usageError(`"${revision}" is not a revision of ${this.repository}`);
    }
    return join(this.root, 'refs', ...revision.split('/'));
  }
}
