import { failureError, missingError, reasonOf } from './errors.js';

/** Loads an optional package; where it is not installed, the error says how to install it. */
export async function optionalPackage<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw missingError(
        `${purpose} needs the package ${name}, which is not installed; install it with: npm install ${name}`,
        cause,
      );
    }
    throw failureError(`The package ${name} could not be loaded: ${reasonOf(cause)}`, cause);
  }
}
