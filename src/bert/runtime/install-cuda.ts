import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { closing } from '../../common/closing.js';
import { hashFile } from '../../common/hash.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { cacheFolder } from '../../common/cache-folder.js';
import { failureError, inputError, missingError, reasonOf, usageError } from '../../common/errors.js';
import { throwReadFailure } from '../../common/io-errors.js';
import { RandomAccessFile, readZip, zipContent, type ZipEntry } from '../checkpoint/index.js';
import { CUDA_FILES } from './provider-files.js';
import { runtimeFolder, runtimeVersion } from './runtime-package.js';

/** A provider library that was installed. */
interface InstalledLibrary {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface InstallOptions {
  /** A wheel of onnxruntime-gpu, a package for .NET, or a folder; default: the libraries in the cache. */
  readonly source?: string | undefined;
  /** Default: the runtime's folder and version. */
  readonly folder?: string;
  readonly version?: string;
}

/**
 * Installs the provider libraries for CUDA in the cache folder, with links beside the runtime's library, the only place
 * where onnxruntime looks for them.
 */
export async function installCuda(options: InstallOptions = {}): Promise<InstalledLibrary[]> {
  const { source, folder = runtimeFolder(), version = runtimeVersion() } = options;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const here = `${process.platform} on ${process.arch}`;
    throw usageError(`Provider libraries for CUDA are installed on Linux on x64 only, not on ${here}.`);
  }
  const kept = join(cacheFolder(), 'cuda', `onnxruntime-${version}`);
  if (source !== undefined) await keep(source, kept, version);
  else if (!CUDA_FILES.every((name) => existsSync(join(kept, name)))) {
    throw missingError(
      `Name the wheel of onnxruntime-gpu ${version} (for CUDA 13: pip download --no-deps onnxruntime-gpu==${version}), its package for .NET (CUDA 12) or a folder with its libraries.`,
    );
  }
  return Promise.all(CUDA_FILES.map((name) => link(kept, folder, name)));
}

async function link(kept: string, folder: string, name: string): Promise<InstalledLibrary> {
  const path = join(kept, name);
  const place = join(folder, name);
  try {
    await rm(place, { force: true });
    await symlink(path, place);
  } catch (error) {
    const message = `${place}: cannot be linked to ${path}: ${reasonOf(error)}`;
    throw failureError(message, error);
  }
  return { name, bytes: (await stat(path)).size, sha256: await hashFile(path) };
}

/** Puts the libraries of a source into the cache. */
async function keep(source: string, kept: string, version: string): Promise<void> {
  const info = await stat(source).catch(throwReadFailure(source));
  await mkdir(kept, { recursive: true });
  if (!info.isDirectory()) return keepArchive(source, kept, version);
  const runtime = `libonnxruntime.so.${version}`;
  if (!existsSync(join(source, runtime))) {
    throw inputError(`${source}: no ${runtime} there to tell that its libraries are of version ${version}.`);
  }
  for (const name of CUDA_FILES) {
    const path = join(source, name);
    await writeFileAtomic(join(kept, name), await readFile(path).catch(throwReadFailure(path)));
  }
}

async function keepArchive(source: string, kept: string, version: string): Promise<void> {
  return closing(RandomAccessFile.open(source), async (file) => {
    const entries = await readZip(file, { deflated: true });
    const { found, hashes } = await describe(file, entries);
    if (found !== version) {
      const what =
        found === undefined
          ? 'neither a wheel of onnxruntime-gpu nor its package for .NET'
          : `of version ${found}`;
      throw inputError(`${source}: it is ${what}; version ${version} is needed.`);
    }
    for (const name of CUDA_FILES) {
      const entry = [...entries.values()].find((each) => each.name.endsWith(`/${name}`));
      if (!entry) throw inputError(`${source}: there is no ${name} in it.`);
      await writeFileAtomic(join(kept, name), zipContent(file, entry, hashes.get(entry.name)));
    }
  });
}

/** The version of a package, and the SHA-256 hashes that it states, as wheels do, by entry. */
async function describe(
  file: RandomAccessFile,
  entries: ReadonlyMap<string, ZipEntry>,
): Promise<{ found: string | undefined; hashes: ReadonlyMap<string, string> }> {
  for (const entry of entries.values()) {
    const wheel = /^onnxruntime_gpu-([^-/]+)\.dist-info\/RECORD$/.exec(entry.name);
    if (wheel) {
      const lines = (await text(zipContent(file, entry))).split(/\r?\n/).map((line) => line.split(','));
      const hashes = lines.flatMap(([name, hash]) => {
        const value = /^sha256=(.+)$/.exec(hash ?? '')?.[1];
        return value === undefined ? [] : [[name, Buffer.from(value, 'base64url').toString('hex')] as const];
      });
      return { found: wheel[1], hashes: new Map(hashes) };
    }
    if (/^Microsoft\.ML\.OnnxRuntime\.Gpu\.Linux\.nuspec$/i.test(entry.name)) {
      return { found: /<version>([^<]+)</.exec(await text(zipContent(file, entry)))?.[1], hashes: new Map() };
    }
  }
  return { found: undefined, hashes: new Map() };
}
