import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import { inert } from './output.ts';

/** A node behind a URL, spoken to with an account key. */
export class RemoteNode {
  readonly #url: string;
  readonly #key: string | undefined;

  /** @throws RangeError for what is no http or https URL */
  constructor(url: string, key: string | undefined) {
    const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new RangeError(`${JSON.stringify(url)} is no URL of a node, such as http://127.0.0.1:8787.`);
    this.#url = url.replace(/\/+$/, '');
    this.#key = key;
  }

  /** What a node says, to be shown: nothing in it moves a terminal's cursor. @throws StrangeAnswer */
  async json<T>(
    shape: Shape,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T> {
    return inert(await this.exact<T>(shape, method, path, body, headers));
  }

  /** The same to the letter, for files and checks. */
  async exact<T>(
    shape: Shape,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const response = await this.#send(method, path, body, headers);
    const answer = await response.json().catch(() => undefined);
    if (isRecord(answer) && isRecord(answer.inputError)) throw missingInput(answer.inputError); // HTTP 200, and yet no value (CMP-04)
    return this.read<T>(answer, shape, `${method} ${path}`);
  }

  /** What came as an answer to `asked`, if it has this shape. @throws StrangeAnswer */
  read<T>(answer: unknown, shape: Shape, asked: string): T {
    const fault = faultOf(answer, shape);
    if (fault !== undefined) throw new StrangeAnswer(this.#url, `${asked} gave ${fault}`);
    return answer as T;
  }

  /** What is made of an answer to `asked`, where it can be. @throws StrangeAnswer */
  made<T>(asked: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      const why = (error as Error).message.replace(/\.$/, '');
      throw new StrangeAnswer(this.#url, `what ${asked} gave cannot be read, ${why}`);
    }
  }

  async bytes(path: string): Promise<Uint8Array> {
    const response = await this.#send('GET', path);
    const bytes = await response.arrayBuffer().catch(() => undefined);
    if (bytes === undefined) throw new StrangeAnswer(this.#url, `GET ${path} broke off`);
    return new Uint8Array(bytes);
  }

  /** Server-sent events until the stream ends. */
  async *events(path: string): AsyncGenerator<{ event: string; data: unknown }> {
    const response = await this.#send('GET', path, undefined, { accept: 'text/event-stream' });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw new StrangeAnswer(this.#url, `GET ${path} gave no events`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
        const data = field('data');
        if (data !== undefined) yield { event: field('event') ?? 'message', data: inert(parsed(data)) };
      }
    }
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          'accept-encoding': 'identity',
          ...(this.#key ? { authorization: `Bearer ${this.#key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: bodyOf(body),
      });
    } catch (error) {
      throw new NoAnswer(this.#url, error);
    }
    // Nobody asked for a compressed body, and where it is broken Node's own reader waits for ever.
    if (!['identity', null].includes(response.headers.get('content-encoding')))
      throw new StrangeAnswer(this.#url, `${method} ${path} gave a compressed body`);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}

/** JSON that is bytes already goes out as it stands. */
function bodyOf(body: unknown): RequestInit['body'] {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return body === undefined ? undefined : JSON.stringify(body);
}

/** Nobody answers at the URL. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(url: string, error: unknown) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    super(`no node answers at ${url} (${cause?.code ?? cause?.message ?? error}).`);
  }
}

function missingInput(said: Record<string, unknown>): Refusal {
  const { code: _, message, ...details } = inert(said);
  return new Refusal('MISSING_INPUT', String(message), details);
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = inert(await response.json().catch(() => undefined));
  const { code, message, ...details } = isRecord(body) && isRecord(body.error) ? body.error : {};
  const known = typeof code === 'string' && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'INTERNAL';
  return new Refusal(
    known,
    typeof message === 'string' ? message : `The node answered ${response.status}.`,
    details,
  );
}

// ---- what an answer must have ---------------------------------------------------------------------------

/** What a value must be: one of these; a record with at least these members; a list of such. */
export type Shape = keyof typeof kinds | { readonly [member: string]: Shape } | readonly [Shape];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const kinds = {
  text: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  /** A whole number in text. */
  count: (value: unknown) => typeof value === 'string' && /^-?\d{1,40}$/.test(value),
  list: (value: unknown) => Array.isArray(value),
  record: isRecord,
} as const;

/** What is wrong with it; undefined where nothing is. */
function faultOf(value: unknown, shape: Shape, name = 'record'): string | undefined {
  if (typeof shape === 'string') return kinds[shape](value) ? undefined : `no ${name}`;
  const parts = Array.isArray(shape)
    ? Array.isArray(value) && value.map((item) => faultOf(item, shape[0] as Shape, name))
    : isRecord(value) &&
      Object.entries(shape).map(([key, member]) => faultOf(value[key], member as Shape, key));
  return parts ? parts.find((fault) => fault !== undefined) : `no ${name}`;
}

/** Somebody answers at the URL, and not as a node does. */
export class StrangeAnswer extends RangeError {
  constructor(url: string, what: string) {
    super(`${url} does not answer as a proofmesh node does: ${what}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
