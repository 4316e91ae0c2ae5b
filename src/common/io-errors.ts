import { BertQeError, reasonOf } from './errors.js';

/** The system's code of a failed file operation (`ENOENT`, `ENOSPC`…), where there is one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The error for a file that could not be read. */
export function readFailure(path: string, error: unknown): BertQeError {
  if (error instanceof BertQeError) return error;
  const fail = (code: 'missing' | 'input' | 'failure', text: string): BertQeError =>
    new BertQeError(code, `${path}: ${text}`, { cause: error });
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fail('missing', 'there is no such file or folder. Check the path.');
    case 'EISDIR':
      return fail('input', 'this is a folder, but a file was expected. Name the file inside it.');
    case 'EACCES':
    case 'EPERM':
      return fail('input', 'permission to read was denied. Change its mode (chmod +r) or run as its owner.');
    default:
      return fail('failure', `reading failed: ${reasonOf(error)}.`);
  }
}

/** For `catch`: throws the {@link readFailure} of a file. */
export const throwReadFailure =
  (path: string) =>
  (error: unknown): never => {
    throw readFailure(path, error);
  };

/** For `catch`: throws the {@link writeFailure} of a file. */
export const throwWriteFailure =
  (path: string) =>
  (error: unknown): never => {
    throw writeFailure(path, error);
  };

/** The error for a file that could not be written; its former content is unchanged. */
export function writeFailure(path: string, error: unknown): BertQeError {
  if (error instanceof BertQeError) return error;
  const fail = (code: 'missing' | 'input' | 'failure', text: string): BertQeError =>
    new BertQeError(code, `${path}: ${text}`, { cause: error });
  switch (systemCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return fail(
        'failure',
        'no room left to write this file; what was there before is unchanged. Free some disk space ' +
          '(or raise the quota) and run again.',
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return fail('missing', 'the folder to write into does not exist. Create it first (mkdir -p).');
    case 'EISDIR':
      return fail('input', 'this is a folder, but a file was to be written. Give a file name.');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(
        'input',
        'permission to write was denied. Choose another place or change the folder’s mode.',
      );
    default:
      return fail('failure', `writing failed: ${reasonOf(error)}; what was there before is unchanged.`);
  }
}
