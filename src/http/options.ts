/** How the HTTP surface is set up; `src/main.ts` reads it from the environment. */
export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** pino level; `silent` for none. */
  readonly logLevel: string;
  /** Where the log's lines go; absent: standard error, so that standard output says where the node listens. */
  readonly logTo?: { write(line: string): void };
  /** Requests a minute from one address; 0: no limit. */
  readonly requestsPerMinute: number;
  /** Bearer token that GET /metrics takes from anywhere; absent: only this machine is answered. */
  readonly metricsToken?: string;
}

/** A blob, in one body, with a key. */
export const BLOB_BODY = 64 * 2 ** 20;
/**
 * JSON of solver and quote routes, with a key. Reading it holds up the event loop, the worst of it (a million keys)
 * for about 0.1 s; larger arrays are sent as blobs.
 */
export const REQUEST_BODY = 4 * 2 ** 20;
/** Every other body. */
export const BODY = 2 ** 20;

/** A request has arrived whole after this long: who sends a byte a minute does not hold 64 MiB of memory for ever. */
export const REQUEST_TIMEOUT_MS = 300_000;

/** A job that is expected to cost more than this is answered 202 at once, one that comes to it then: 60 s of the reference core. */
export const ASYNC_PLANCKS = 60_000_000_000n;
