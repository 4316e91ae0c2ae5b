import { connect, type Socket } from 'node:net';

/** A keep-alive connection that has one request at a time on its way. */
export class Connection {
  readonly #socket: Socket;
  #heard = '';
  #resolve: ((status: number) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(
    host: string,
    port: number,
    private readonly onClose: (connection: Connection) => void,
  ) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#hear(text));
    this.#socket.on('error', (error) => this.#fail(error));
    // A server ends connections that were idle for long: such a one must not be taken for the next request.
    for (const event of ['end', 'close']) {
      this.#socket.on(event, () => this.#fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    }
  }

  /** Sends the bytes of a request; resolves with the status when the answer is there to its end. */
  send(bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #hear(text: string): void {
    this.#heard += text;
    if (!isWhole(this.#heard)) return;
    const status = Number(this.#heard.slice(9, 12));
    this.#heard = '';
    this.#resolve?.(status);
    this.#resolve = this.#reject = undefined;
  }

  #fail(error: Error): void {
    this.onClose(this);
    this.#reject?.(error);
    this.#resolve = this.#reject = undefined;
  }
}

/** True where an answer is complete: by its length, or by its last chunk. */
function isWhole(heard: string): boolean {
  const end = heard.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(heard.slice(0, end)) ?? [];
  return length === undefined ? heard.endsWith('\r\n0\r\n\r\n') : heard.length >= end + 4 + Number(length);
}
