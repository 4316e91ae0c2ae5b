import { BertQeError, failureError, inputError, missingError, reasonOf } from './errors.js';

/** The system's code of a failed file operation (`ENOENT`, `ENOSPC`…), where there is one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The error for a file that could not be read. */
export function readFailure(path: string, error: unknown): BertQeError {
  if (error instanceof BertQeError) return error;
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return missingError(`${path}: there is no such file or folder. Check the path.`, error);
    case 'EISDIR':
      return inputError(
        `${path}: this is a folder, but a file was expected. Name the file inside it.`,
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return inputError(
        `${path}: permission to read was denied. Change its mode (chmod +r) or run as its owner.`,
        error,
      );
    default:
      return failureError(`${path}: reading failed: ${reasonOf(error)}.`, error);
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
  switch (systemCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return failureError(
        `${path}: no room left to write this file; what was there before is unchanged. Free some disk space ` +
          '(or raise the quota) and run again.',
        error,
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return missingError(
        `${path}: the folder to write into does not exist. Create it first (mkdir -p).`,
        error,
      );
    case 'EISDIR':
      return inputError(`${path}: this is a folder, but a file was to be written. Give a file name.`, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return inputError(
        `${path}: permission to write was denied. Choose another place or change the folder’s mode.`,
        error,
      );
    default:
      return failureError(
        `${path}: writing failed: ${reasonOf(error)}; what was there before is unchanged.`,
        error,
      );
  }
}
