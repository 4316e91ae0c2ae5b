import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * WebKit, through WebDriver: WebKitGTK's MiniBrowser and its driver, as Linux distributions package them (Debian:
 * webkit2gtk-driver, and xvfb where there is no display).
 */
const driver = process.env.WEBKIT_DRIVER ?? '/usr/bin/WebKitWebDriver';
const browser = ['/usr/lib', '/usr/libexec']
  .flatMap((folder) =>
    ['webkitgtk-6.0', 'webkit2gtk-4.1'].flatMap((name) => [
      `${folder}/${name}/MiniBrowser`,
      `${folder}/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/${name}/MiniBrowser`,
    ]),
  )
  .find((path) => existsSync(path));
const xvfb = '/usr/bin/Xvfb';

/** What WebKit lacks here; undefined where it can be driven. */
export const webkitMissing =
  !existsSync(driver) || browser === undefined
    ? 'it is not installed: WebKitWebDriver and MiniBrowser'
    : process.env.DISPLAY === undefined && !existsSync(xvfb)
      ? 'there is neither a display nor Xvfb'
      : undefined;

/** The longest wait for a page's code. */
const MILLISECONDS = 120_000;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A page of a fresh visitor, in a browser of its own. */
export class WebKitPage {
  private constructor(
    private readonly process: ChildProcess,
    private readonly session: string,
  ) {}

  static async open(display: string, url: string): Promise<WebKitPage> {
    const port = await freePort();
    const process = spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], {
      env: { ...globalThis.process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' },
      stdio: 'ignore',
    });
    try {
      const place = `http://127.0.0.1:${port}/session`;
      for (let tries = 0; !(await fetch(`${place}s`).then(Boolean, () => false)); tries++) {
        if (tries === 100) throw new Error(`${driver} does not answer`);
        await pause(100);
      }
      const options = { binary: browser, args: ['--automation'] };
      const { sessionId } = await ask<{ sessionId: string }>(place, {
        capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
      });
      const page = new WebKitPage(process, `${place}/${sessionId}`);
      await ask(`${page.session}/url`, { url });
      return page;
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  /** Runs code in the page; a promise that it gives is waited for. */
  async evaluate<T>(code: string): Promise<T> {
    // The driver's own wait for a promise ends with a navigation or after thirty seconds.
    const start = `
      window.answer = undefined;
      Promise.resolve().then(() => (0, eval)(arguments[0])).then(
        (value) => (window.answer = { value: JSON.stringify(value) ?? 'null' }),
        (error) => (window.answer = { error: String(error) }),
      );`;
    await this.#execute(start, code);
    for (const until = Date.now() + MILLISECONDS; Date.now() < until;) {
      const answer = await this.#execute<{ value: string; error?: string } | null>('return window.answer;');
      if (answer?.error !== undefined) throw new Error(answer.error);
      if (answer) return JSON.parse(answer.value) as T;
      await pause(50);
    }
    throw new Error('The code of the page does not end.');
  }

  async reload(): Promise<void> {
    await ask(`${this.session}/refresh`, {});
  }

  /** Brings another tab to the front for a while. */
  async hide(): Promise<void> {
    await ask(`${this.session}/window/new`, { type: 'tab' });
  }

  async close(): Promise<void> {
    await fetch(this.session, { method: 'DELETE' }).catch(() => {});
    this.process.kill();
  }

  #execute<T>(script: string, ...args: readonly unknown[]): Promise<T> {
    return ask<T>(`${this.session}/execute/sync`, { script, args });
  }
}

async function ask<T>(url: string, body: object): Promise<T> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}

/** A display for browsers that have no other mode: the present one, or one in memory. */
export async function openDisplay(): Promise<{ readonly name: string; close(): void }> {
  if (process.env.DISPLAY !== undefined) return { name: process.env.DISPLAY, close: () => {} };
  const server = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1400x900x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await (server.stdio[3] as Readable).take(1).toArray()) as Buffer[];
  return { name: `:${number.toString().trim()}`, close: () => void server.kill() };
}
