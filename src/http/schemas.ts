import { catalogue, type ErrorCode } from '../errors/catalogue.ts';

/** Shapes of the machine description that many routes share; each is a component with its `$id` as name. */

type Json = Record<string, unknown>;

export const text = (description: string, more: Json = {}): Json => ({
  type: 'string',
  description,
  ...more,
});
export const decimal = (description: string): Json => text(description, { pattern: '^[0-9]+$' });
export const digest = (description: string): Json => text(description, { pattern: '^[0-9a-f]{64}$' });
export const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });

/** An object whose named members are always there, and which may have more. */
export const object = (properties: Record<string, Json>, more: Json = {}): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
  ...more,
});

const inputError = object({
  code: { const: 'MISSING_INPUT' },
  message: text('What is missing, in a sentence.'),
  missing: text('Symbol or path of the input.'),
  accepts: { description: 'What would be accepted: names, aliases or a description.' },
});

const error: Json = {
  $id: 'Error',
  description: 'Every refusal and failure: one code of the catalogue and a sentence for people.',
  ...object({
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(catalogue) },
        message: text('What was wrong and what is accepted, in a sentence.'),
        request_id: text('Leads to the request in the log of the node.'),
        field: text('Path of the offending field, such as supports[2].on.'),
        accepts: { description: 'What is accepted there.' },
        trace: {
          type: 'array',
          description: 'How far the request came; steps 4 and 5 are degraded: nothing was sealed.',
          items: object({ step: { type: 'integer' }, name: { type: 'string' }, state: { type: 'string' } }),
        },
      },
      required: ['code', 'message', 'request_id'],
      additionalProperties: true,
    },
  }),
};

const charges = object({
  work: decimal('Work units of all runs.'),
  price_plancks: decimal('What was charged; 1 planck is 1 ns of the reference core.'),
  from_bond_plancks: decimal('Of it from the bond.'),
  from_fuel_plancks: decimal('Of it from fuel.'),
});

const gate = object({
  name: { type: 'string' },
  kind: { type: 'string', enum: ['exact', 'invariant', 'certificate', 'twin', 'estimate'] },
  quantity: text('What is compared.'),
  source: text('Where the reference comes from.'),
  measured: { type: 'number' },
  reference: { type: 'number' },
  relError: { type: 'number' },
  bound: { type: 'number' },
});

const envelope = object({
  generation: { type: 'string', enum: ['v3', 'v1', 'pre_genesis'] },
  node: { type: 'string' },
  operators: { type: 'array', items: { type: 'string' }, description: 'KO42 first.' },
  solver: { type: 'string' },
  requestHash: digest('SHA-256 of the canonical request.'),
  jobRoot: digest('Merkle root over the runs.'),
  value: { type: 'number' },
  valueBits: text('The 64 bits of the value, most significant first.', { pattern: '^[0-9a-f]{16}$' }),
  unit: orNull({ type: 'string' }),
  tick: { type: 'integer', description: 'Ticks of 777000777 ns since the Unix epoch.' },
  t_ns: decimal('Unix nanoseconds at sealing.'),
  precisionBound: { type: 'number' },
  precisionActual: { type: 'number' },
  engine_version: { type: 'string' },
  token_id: orNull({ type: 'string' }),
  proof: orNull(digest('HMAC-SHA256 of the generation.')),
});

const receipt = object({
  pulse: { type: 'number' },
  tick_period_ns: { type: 'integer' },
  hmac: object({ verified: { type: 'boolean' } }),
  tick_averaged: { $ref: 'TickAverage#' },
  continuum: { type: 'object', additionalProperties: { type: 'number' } },
  log: object({
    index: { type: 'integer', description: 'Leaf of the log.' },
    path: { type: 'array', items: { type: 'string' }, description: 'Inclusion path, base 64.' },
    checkpoint: text('Signed head of the log, C2SP tlog-checkpoint.'),
  }),
});

const tickAverage: Json = {
  $id: 'TickAverage',
  ...object({ value: { type: 'number' }, unit: orNull({ type: 'string' }) }),
};

const answer: Json = {
  $id: 'Answer',
  description:
    'A sealed result. Saved as a file it is what `svc verify` and `svc rerun` take. Beside the members named here ' +
    'stand those of the solver, such as `finalState` or `energyDriftPct`. Where sealing failed, `envelope` and ' +
    '`receipt` are null and nothing was charged.',
  ...object({
    format: { const: 'svc-answer-1' },
    value: { type: 'number' },
    unit: orNull({ type: 'string' }),
    envelope: orNull(envelope),
    receipt: orNull(receipt),
    charges,
    request: { description: 'The canonical request, or a blob reference.' },
    gates: { type: 'array', items: gate },
    runs: { description: 'Every run with kernel, parameters and digests, or a blob reference.' },
    fields: { type: 'array', items: object({ name: { type: 'string' }, shape: { type: 'array' } }) },
    assumed: { type: 'array', description: 'Numerical choices that the request left open.' },
    warnings: { type: 'array', items: { type: 'string' } },
  }),
};

const missingInput: Json = {
  $id: 'MissingInput',
  description: 'No value, because an input is missing: nothing ran, nothing was charged.',
  ...object({ value: { type: 'null' }, unit: { type: 'null' }, inputError }),
};

const quote: Json = {
  $id: 'Quote',
  description: 'The price before anything runs, the same on every node.',
  ...object({
    solver: { type: 'string' },
    requestHash: digest('SHA-256 of the canonical request.'),
    work: decimal('Work units.'),
    price_plancks: decimal('What is charged at most; 1 planck is 1 ns of the reference core.'),
    expected_plancks: decimal(
      'What requests like this one mostly stay within. With so much at hand it begins, and holds the price or what there is.',
    ),
    ceiling: orNull(
      text(
        'Where less is expected: the limits that would all have to be reached for the price to be charged.',
      ),
    ),
    exact: { type: 'boolean', description: 'False: a ceiling; the work done is charged.' },
    memory: { type: 'integer', description: 'Bytes of the largest run.' },
  }),
};

const job: Json = {
  $id: 'Job',
  ...object({
    job: text('Its id.'),
    solver: { type: 'string' },
    state: { type: 'string', enum: ['running', 'done', 'refused', 'cancelled', 'unsealed'] },
    created_ns: decimal('Unix nanoseconds.'),
    finished_ns: orNull(decimal('Unix nanoseconds.')),
    ceiling_plancks: decimal('What is or was held.'),
    work: orNull(decimal('Work units done.')),
    token_id: orNull({ type: 'string' }),
    revoked_by: orNull(text('Challenge whose verdict took the result back: its coin is void.')),
  }),
};

const accepted: Json = {
  $id: 'Accepted',
  description: 'The job goes on in the background; `Location` names it.',
  ...object({
    job: text('Its id.'),
    state: { type: 'string' },
    location: text('Path of the job.'),
  }),
};

export const components: readonly Json[] = [error, tickAverage, answer, missingInput, quote, job, accepted];

// ---- responses -----------------------------------------------------------------------------------------

const content = (type: string, schema: Json, description: string): Json => ({
  description,
  content: { [type]: { schema } },
});

export const component = (id: string, description: string): Json =>
  content('application/json', { $ref: `${id}#` }, description);

export const json = (schema: Json, description: string): Json =>
  content('application/json', schema, description);

export const plainText = (description: string): Json =>
  content('text/plain', { type: 'string' }, description);

export const bytes = (description: string, type = 'application/octet-stream'): Json =>
  content(type, { type: 'string', format: 'binary' }, description);

export const events = (description: string): Json =>
  content('text/event-stream', { type: 'string' }, description);

/** What may happen on every route, on every one that the rate limit counts, and on every one with a key. */
const anywhere: readonly ErrorCode[] = ['INTERNAL', 'STORE_UNAVAILABLE'];
const limited: readonly ErrorCode[] = ['RATE_LIMITED'];
const withKey: readonly ErrorCode[] = ['UNAUTHORIZED'];

/** What planning and pricing a request may end with, and what computing it may. */
export const planningErrors: readonly ErrorCode[] = [
  ...(['MISSING_INPUT', 'INVALID_INPUT', 'UNSUPPORTED', 'STABILITY_LIMIT', 'LIMIT_EXCEEDED'] as const),
  ...(['UNDER_CONSTRAINED', 'UNKNOWN_OPERATOR', 'TOO_MANY_OPERATORS', 'NON_SCALAR_RESULT'] as const),
  ...(['AMBIGUOUS_QUERY', 'NO_ROUTE'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'NOT_FOUND', 'CONFLICT'] as const),
];
export const computingErrors: readonly ErrorCode[] = [
  ...planningErrors,
  ...(['INSUFFICIENT_BALANCE', 'IDEMPOTENCY_CONFLICT', 'CANCELLED'] as const),
  ...(['NON_FINITE', 'DID_NOT_CONVERGE', 'OUTSIDE_TOLERANCE', 'ENERGY_NOT_CONSERVED'] as const),
  ...(['NEGATIVE_CONCENTRATION', 'EULER_INVALID', 'RESONANCE'] as const),
  ...(['REFUSAL_ALLOWANCE_SPENT', 'KERNEL_CRASHED', 'SHUTTING_DOWN', 'OVERLOADED'] as const),
];

/** Error responses by status: the codes that may stand there, each with its meaning. */
export function errors(
  codes: readonly ErrorCode[],
  { key = false, isLimited = true }: { key?: boolean; isLimited?: boolean } = {},
): Record<number, Json> {
  const all = [...new Set([...codes, ...(key ? withKey : []), ...(isLimited ? limited : []), ...anywhere])];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of all) {
    const { status } = catalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, named]) => [status, component('Error', named.map(sentence).join('\n\n'))]),
  );
}

const sentence = (code: ErrorCode): string => `\`${code}\` ${catalogue[code].meaning}`;
