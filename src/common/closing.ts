interface Closeable {
  close(): Promise<unknown>;
}

/** Uses what is opened, and closes it whatever happens. */
export async function closing<T extends Closeable, R>(
  opening: T | Promise<T>,
  use: (opened: T) => R | Promise<R>,
): Promise<R> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** Uses what is opened for something that closes it later; closes it at once where that cannot be made. */
export async function closedOnFailure<T extends Closeable, R>(
  opened: T,
  use: (opened: T) => R | Promise<R>,
): Promise<R> {
  try {
    return await use(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
