/** Limits of the work that a server takes. */
export interface ServiceLimits {
  readonly bodyBytes: number;
  /** Documents of one request, and elements of any array in its body. */
  readonly documents: number;
  /** JSON values in a body: texts, numbers, objects, arrays and so on. */
  readonly values: number;
  /** The most pairs that one request can make the models score. */
  readonly pairs: number;
  /** The most work of one request, in tokens of the largest model. */
  readonly requestTokens: number;
  /** The most work that may wait or run, in tokens of the largest model. */
  readonly queueTokens: number;
  /** Milliseconds that a request may take; a client may ask for less. */
  readonly deadlineMs: number;
}

/** The limits of a server whose options set none. */
export const defaultLimits: ServiceLimits = {
  bodyBytes: 16 * 1024 * 1024,
  documents: 20_000,
  values: 250_000,
  pairs: 250_000,
  requestTokens: 4_000_000,
  queueTokens: 8_000_000,
  deadlineMs: 30_000,
};

/** Time limits of a connection, in milliseconds. */
export interface HttpTimeouts {
  /** Until all headers have arrived. */
  readonly headersMs: number;
  /** Until the whole request has arrived. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** Until the client has taken an answer, or what has been sent of a stream. */
  readonly answerMs: number;
}

export const defaultTimeouts: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  answerMs: 30_000,
};

/** The longest time that a Node timer can wait; it fires at once if given more. */
export const longestTimerMs = 2 ** 31 - 1;

/** Bytes of all bodies that have arrived and are not answered yet; less where the heap is small. */
export const heldBytes = 256 * 1024 * 1024;

/** Bytes of all answers that clients have not taken yet. */
export const unsentBytes = 128 * 1024 * 1024;

/** Bytes of a request's head. */
export const headerBytes = 16 * 1024;

/** Connections at a time: each costs a socket and some memory. */
export const openConnections = 4096;

/** Requests that a client may send ahead on one connection. Clients of today send the next one after the answer. */
export const pipelinedRequests = 100;

/** Files that are read at a time. */
export const openFiles = 16;

/** Connections that may wait to be accepted. With Node's 511, clients of a burst would retry after a second. */
export const acceptBacklog = 4096;

/**
 * The part of a refused body that is read and thrown away. Closing the connection at once would discard the answer
 * before the client has read it.
 */
export const discardedBody = { milliseconds: 500, bytes: 64 * 1024 * 1024 };

/** Characters of a query. A model reads about 126 word pieces of it. */
export const queryCharacters = 20_000;

export const documentCharacters = 2_000_000;

/** Bounds of the structure of a body: levels of nesting, fields of an object and bytes of their names. */
export const jsonDepth = 64;
export const objectFields = 1000;
export const fieldNameBytes = 1000;

/** Fields in `rank_fields`. */
export const rankFields = 100;

/** Characters of an error message: it may quote the request. */
export const messageCharacters = 1000;
