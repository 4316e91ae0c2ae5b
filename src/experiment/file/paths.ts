import { dirname, resolve } from 'node:path';
import { inputError } from '../../common/errors.js';

/** Replaces `${NAME}` by the value of the environment variable; one that is unset or empty is an error. */
export function expandVariables(path: string): string {
  return path.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = process.env[name];
    if (value) return value;
    throw inputError(`the environment variable ${name} is not set`);
  });
}

/** The absolute form of a path in an experiment file: variables are expanded, relative paths start from the file. */
export function resolvePath(file: string, path: string): string {
  return resolve(dirname(file), expandVariables(path));
}
