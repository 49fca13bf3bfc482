import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';

/** A node behind a URL, spoken to with an account key. */
export class RemoteNode {
  readonly #url: string;
  readonly #key: string | undefined;

  constructor(url: string, key: string | undefined) {
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
    return (await response.json()) as T;
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
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      const { cause } = error as { cause?: Error };
      throw new Refusal('STORE_UNAVAILABLE', `No node answers at ${this.#url}: ${cause?.message ?? error}.`);
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
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
