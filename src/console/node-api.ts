import type { Quantity } from '../units/quantity.ts';

export interface ShortRow {
  readonly id: string;
  readonly name: string;
  readonly equation: string;
  readonly category: string;
  readonly unit: string | null;
}

export interface Category {
  readonly category: string;
  readonly title: string;
  readonly operators: number;
}

export interface Input {
  readonly symbol: string;
  readonly aliases: readonly string[];
  readonly meaning: string;
  readonly unit: string;
  readonly role: 'required' | 'conditional' | 'assumed' | 'optional';
  readonly when?: string;
  readonly value?: string;
  readonly because?: string;
}

export interface Example {
  readonly inputs: Readonly<Record<string, Quantity>>;
  readonly value: number;
  readonly unit: string | null;
  readonly tolerance: number;
  readonly source: string;
}

export interface Component {
  readonly symbol: string;
  readonly meaning: string;
  readonly start: string;
  readonly rate: string;
}

/** A row as GET /api/svc/operators/{id} has it. */
export interface Row extends ShortRow {
  readonly description: string;
  readonly refuses?: string;
  /** Of a row without closed form: what is integrated from 0 to `variable`. */
  readonly ode?: { readonly variable: string; readonly components: readonly Component[] };
  readonly inputs: readonly Input[];
  readonly conditions?: readonly { readonly meaning: string }[];
  readonly result: { readonly symbol: string; readonly unit: string; readonly meaning: string };
  readonly source: string;
  readonly validity: string;
  readonly examples: readonly Example[];
}

/** What POST /api/svc/operator-spec adds to it. */
export interface Specification {
  /** By symbol: its domain in words. */
  readonly accepts: ReadonlyMap<string, string>;
  readonly fixed: readonly Known[];
}

/** A number that is part of the formula. */
export interface Known {
  readonly symbol: string;
  readonly meaning: string;
  readonly numeral: string;
  readonly unit: string;
}

/** A refusal of the node, or that it could not be reached (status 0). */
export class NodeError extends Error {
  readonly status: number;
  /** Path of the field that it belongs to, such as `inputs.P_noise.unit`. */
  readonly field: string | undefined;

  constructor(status: number, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** Text and JSON of an answer. Throws a NodeError. */
async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new NodeError(0, 'The node cannot be reached; is it still running?');
  }
  const text = await response.text();
  if (response.ok) return { status: response.status, text };
  throw refusalOf(response.status, text);
}

function refusalOf(status: number, text: string): NodeError {
  try {
    const { message, field } = JSON.parse(text).error;
    return new NodeError(status, String(message), typeof field === 'string' ? field : undefined);
  } catch {
    return new NodeError(status, `The node answered with status ${status}.`);
  }
}

const read = async (path: string) => JSON.parse((await ask(path)).text);

function post(path: string, body: unknown, more: { key?: string; signal?: AbortSignal } = {}) {
  const headers = {
    'content-type': 'application/json',
    ...(more.key === undefined ? {} : { authorization: `Bearer ${more.key}` }),
  };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal: more.signal ?? null });
}

export interface RegistryFacts {
  readonly total: number;
  readonly version: string;
  readonly categories: readonly Category[];
}

export const registryFacts = (): Promise<RegistryFacts> => read('/api/svc/operators?limit=1');

export const nodeKey = async (): Promise<string> => (await read('/api/identity')).vkey;

export async function search(
  query: string,
  category: string,
  limit: number,
  signal: AbortSignal,
): Promise<{ total: number; results: readonly ShortRow[] }> {
  const body = { query, limit, ...(category === '' ? {} : { category }) };
  return JSON.parse((await post('/api/svc/lib-search', body, { signal })).text);
}

export const operatorRow = (id: string): Promise<Row> => read(`/api/svc/operators/${encodeURIComponent(id)}`);

export async function specification(id: string): Promise<Specification> {
  const { text } = await post('/api/svc/operator-spec', { operators: id });
  const [found] = JSON.parse(text).operators;
  const inputs = [found.required, found.conditional, found.assumed, found.optional].flat();
  const constants = found.constants.map((constant: { key: string; name: string } & Known) => ({
    ...constant,
    symbol: constant.key,
    meaning: constant.name,
  }));
  return {
    accepts: new Map(inputs.map(({ symbol, accepts }) => [symbol, accepts])),
    fixed: [...found.fixed, ...constants],
  };
}

export interface ComputeRequest {
  readonly operators: readonly string[];
  readonly inputs: Readonly<Record<string, Quantity>>;
}

/** Text of the sealed answer. Throws a NodeError, also where an input is missing, which is answered 200. */
export async function compute(request: ComputeRequest, key: string): Promise<string> {
  const { status, text } = await post('/api/svc/compute', request, { key });
  const { inputError } = JSON.parse(text);
  if (inputError) throw new NodeError(status, inputError.message, `inputs.${inputError.missing}`);
  if (status === 202) throw new NodeError(status, 'The node answers later: the job is in the background.');
  return text;
}
