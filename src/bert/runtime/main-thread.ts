/** The longest wait for the main thread, which answers even while it computes. */
const LONGEST_WAIT_MS = 20_000;

/** Evaluates an expression in the main thread, from a worker; undefined where that is not possible. */
export async function evaluateInMainThread(expression: string): Promise<unknown> {
  try {
    const { Session } = await import('node:inspector');
    const session = new Session();
    session.connectToMainThread();
    const value = await new Promise<unknown>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), LONGEST_WAIT_MS);
      session.post('Runtime.evaluate', { expression, returnByValue: true }, (error, answer) => {
        clearTimeout(timer);
        resolve(error || answer.exceptionDetails ? undefined : (answer.result.value as unknown));
      });
    });
    session.disconnect();
    return value;
  } catch {
    return undefined;
  }
}
