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

/** One end of a channel, to which messages are sent and from which they come. */
export interface MessageEnd {
  postMessage(message: unknown, transfer?: readonly (ArrayBuffer | MessageEnd)[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'error',
    listener: (event: { readonly message?: string; preventDefault(): void }) => void,
  ): void;
  /** Lets the messages of a port come; only ports have it. */
  start?(): void;
}

/** A worker, seen from its caller. */
export interface WebWorker extends MessageEnd {
  terminate(): void;
}

/** The global scope of a worker. */
export interface WorkerScope extends MessageEnd {
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
