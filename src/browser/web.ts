/** The parts of the web platform that the types of Node lack. Each may be absent. */
interface Web {
  readonly caches?: {
    open(name: string): Promise<WebCache>;
  };
  readonly navigator?: {
    readonly hardwareConcurrency?: number;
    /** Gibibytes, at most 8. */
    readonly deviceMemory?: number;
    readonly gpu?: { requestAdapter(): Promise<object | null> };
    /** Absent on pages without TLS. */
    readonly locks?: {
      request(name: string, options: { signal?: AbortSignal }, hold: () => Promise<void>): Promise<void>;
    };
  };
  readonly crossOriginIsolated?: boolean;
  readonly location?: { readonly href: string; readonly origin: string };
}

export interface WebCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
}

/** A worker, seen from the thread that made it. */
export interface WebWorker {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'error' | 'messageerror',
    listener: (event: { readonly message?: string; preventDefault(): void }) => void,
  ): void;
  terminate(): void;
}

/** The global scope of a worker. */
export interface WorkerScope {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

export const web = globalThis as unknown as Web;

declare const Worker: new (url: string | URL, options: { type: 'module'; name: string }) => WebWorker;

/** A worker, from the page. Bundlers know this form, and bundle the worker's script. */
export function makeWorker(): WebWorker {
  const script = new URL('./worker.js', import.meta.url);
  if (web.location === undefined || script.origin === new URL(web.location.href).origin) {
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'bert-qe' });
  }
  // Browsers start workers from the page's own origin only: a script on a CDN is imported by a small one.
  const code = `import ${JSON.stringify(script.href)};`;
  const small = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return new Worker(small, { type: 'module', name: 'bert-qe' });
}

/** A worker with the script of this one. */
export function makeSameWorker(): WebWorker {
  // Bun's workers have no location.
  const here = import.meta.url;
  const script = web.location?.href ?? new URL('./worker.js', here);
  return new Worker(script, { type: 'module', name: 'bert-qe session' });
}
