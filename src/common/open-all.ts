/**
 * Opens several things that are used together. `closeLater` is told how each is closed: by `close` or, where a later one
 * cannot be opened, at once; the last one first.
 */
export async function openAll<T extends object>(
  open: (closeLater: (close: () => Promise<unknown>) => void) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    return { ...(await open((one) => void closers.push(one))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
