import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';

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

  async json<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const response = await this.#send(method, path, body, headers);
    const answer = await response.json();
    if (answer.inputError) throw missingInput(answer); // HTTP 200, and yet no value (CMP-04)
    return answer as T;
  }

  async bytes(path: string): Promise<Uint8Array> {
    const response = await this.#send('GET', path);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Server-sent events until the stream ends. */
  async *events(path: string): AsyncGenerator<{ event: string; data: unknown }> {
    const response = await this.#send('GET', path, undefined, { accept: 'text/event-stream' });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
        const data = field('data');
        if (data !== undefined) yield { event: field('event') ?? 'message', data: JSON.parse(data) };
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
          ...(this.#key ? { authorization: `Bearer ${this.#key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: bodyOf(body),
      });
    } catch (error) {
      throw new NoAnswer(this.#url, error);
    }
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

function missingInput({ inputError }: { inputError: Record<string, unknown> }): Refusal {
  const { code: _, message, ...details } = inputError;
  return new Refusal('MISSING_INPUT', String(message), details);
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: Record<string, unknown> }
    | undefined;
  const { code, message, ...details } = body?.error ?? {};
  const known = typeof code === 'string' && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'INTERNAL';
  return new Refusal(
    known,
    typeof message === 'string' ? message : `The node answered ${response.status}.`,
    details,
  );
}
