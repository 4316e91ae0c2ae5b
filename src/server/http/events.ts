/** Says so often that the connection is alive: proxies close silent ones. */
const heartbeatMs = 10_000;

/** A stream of server-sent events. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #heartbeat: NodeJS.Timeout;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOpen = true;

  /** `onCancel` is called when the client goes away. */
  constructor(onCancel: () => void) {
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#stop();
        onCancel();
      },
    });
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs);
    this.#heartbeat.unref();
  }

  send(event: string, data: unknown): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(): void {
    if (this.#isOpen) this.#controller.close();
    this.#stop();
  }

  #write(text: string): void {
    if (this.#isOpen) this.#controller.enqueue(this.#encoder.encode(text));
  }

  #stop(): void {
    this.#isOpen = false;
    clearInterval(this.#heartbeat);
  }
}
