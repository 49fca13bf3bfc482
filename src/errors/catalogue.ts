/**
 * Every error that leaves the system, once: HTTP status, CLI exit code, the sentence that says what it means,
 * and, where a kernel can end with it, the kernel's status code (assembly/kernel/status.ts).
 */
export interface ErrorEntry {
  readonly status: number;
  readonly meaning: string;
  readonly kernelStatus?: number;
}

export const catalogue = {
  MISSING_INPUT: {
    status: 400,
    meaning: 'A required input was not given; physical inputs are never defaulted.',
  },
  INVALID_INPUT: {
    status: 400,
    meaning: 'An input has the wrong type, sign, range or name, or is not finite.',
    kernelStatus: 20,
  },
  UNSUPPORTED: { status: 400, meaning: 'The request names a case that is not offered.', kernelStatus: 24 },
  STABILITY_LIMIT: {
    status: 400,
    meaning: 'The step that was asked for breaks the stability limit of the method.',
    kernelStatus: 21,
  },
  LIMIT_EXCEEDED: {
    status: 400,
    meaning: 'The work or memory asked for is above the stated limit.',
    kernelStatus: 22,
  },
  UNDER_CONSTRAINED: {
    status: 400,
    meaning: 'The supports do not hold the structure: the stiffness matrix is singular.',
    kernelStatus: 23,
  },
  UNKNOWN_OPERATOR: { status: 400, meaning: 'No operator has this identifier.' },
  TOO_MANY_OPERATORS: {
    status: 400,
    meaning: 'KO42 and at most three more operators are applied in one call.',
  },
  NON_SCALAR_RESULT: {
    status: 422,
    meaning: 'The result is a relation, series, matrix or field; an envelope carries one number.',
    kernelStatus: 25,
  },
  NON_FINITE: {
    status: 422,
    meaning: 'The computation left the finite numbers; nothing is sealed.',
    kernelStatus: 16,
  },
  DID_NOT_CONVERGE: {
    status: 422,
    meaning: 'The method did not converge within its budget; nothing is sealed or charged.',
    kernelStatus: 17,
  },
  OUTSIDE_TOLERANCE: {
    status: 422,
    meaning: 'The result could not be held inside the precision bound; nothing is sealed or charged.',
    kernelStatus: 18,
  },
  ENERGY_NOT_CONSERVED: {
    status: 422,
    meaning: 'The energy drift is above its bound; nothing is sealed or charged.',
    kernelStatus: 19,
  },
  NEGATIVE_CONCENTRATION: {
    status: 422,
    meaning: 'A concentration fell below zero by more than rounding; nothing is sealed or charged.',
    kernelStatus: 26,
  },
  EULER_INVALID: {
    status: 422,
    meaning: 'The column yields before it buckles: Euler’s load is above A·sigmaY.',
    kernelStatus: 27,
  },
  RESONANCE: {
    status: 422,
    meaning: 'The undamped domain is driven within 0.1 % of a resonance: the answer is unbounded.',
    kernelStatus: 28,
  },
  AMBIGUOUS_QUERY: {
    status: 400,
    meaning:
      'The text fits more than one solver, asks two things at once, or has words or inputs that the answer would leave out; they are listed.',
  },
  NO_ROUTE: { status: 400, meaning: 'The text fits no solver.' },
  INSUFFICIENT_BALANCE: {
    status: 402,
    meaning:
      'Bond and fuel together do not cover what this call is expected to cost, or what it came to need.',
  },
  UNAUTHORIZED: { status: 401, meaning: 'This route needs a valid bearer key.' },
  FORBIDDEN: { status: 403, meaning: 'This key may not do that.' },
  MISSING_HANDSHAKE: { status: 403, meaning: 'Gossip needs the header x-node-handshake.' },
  BAD_HANDSHAKE: {
    status: 403,
    meaning: 'The handshake has another form, or its HMAC is not that of its sender in this mesh.',
  },
  STALE_HANDSHAKE: {
    status: 403,
    meaning: 'The handshake, or its event, was not made in the last 120 ticks.',
  },
  HANDSHAKE_MISUSED: { status: 403, meaning: 'The handshake was made for another event or another sender.' },
  UNKNOWN_SENDER: { status: 403, meaning: 'The sender is no node of this mesh.' },
  BAD_SIGNATURE: { status: 403, meaning: 'The signature of the event is not that of its sender.' },
  NOT_FOUND: { status: 404, meaning: 'There is nothing under this name.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method.' },
  CONFLICT: { status: 409, meaning: 'The resource is not in a state that allows this.' },
  GOSSIP_REPLAYED: {
    status: 409,
    meaning: 'This handshake was used, or this event was heard before; nothing changed.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'This Idempotency-Key was used before with another request.',
  },
  CANCELLED: { status: 409, meaning: 'The job was cancelled; its hold was voided.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive whole in time.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The header fields are larger than the server takes.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than this route takes.' },
  EXPECTATION_FAILED: {
    status: 417,
    meaning: 'The Expect header asks for something else than 100-continue.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body must be JSON (or raw bytes where the route says so), and not compressed.',
  },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; the Retry-After header says when to come back.' },
  REFUSAL_ALLOWANCE_SPENT: {
    status: 429,
    meaning: "The account's daily allowance of refused work is spent; Retry-After says when it renews.",
  },
  KERNEL_CRASHED: {
    status: 500,
    meaning: 'A kernel trapped or was stopped by its watchdog; nothing is charged.',
  },
  INTERNAL: { status: 500, meaning: 'Something broke on our side; nothing is charged.' },
  STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'The store cannot be reached or refuses writes; try again later.',
  },
  LOG_NOT_CONTINUED: {
    status: 503,
    meaning:
      'The log in the store does not continue what this node has signed: nothing is sealed until its operator has looked.',
  },
  CLOCK_IN_DOUBT: {
    status: 503,
    meaning:
      "The machine's clock is further ahead than the node believes: nothing is sealed until its operator has looked.",
  },
  MESH_UNAVAILABLE: {
    status: 503,
    meaning: 'The mesh cannot be reached, or has no room for now; try again later.',
  },
  NO_MESH_SECRET: { status: 503, meaning: 'The node has no mesh secret, so it takes part in no gossip.' },
  NO_NODE: { status: 503, meaning: 'No node answers at the URL; only a command says this.' },
  SHUTTING_DOWN: { status: 503, meaning: 'The node is draining; try again on another node or later.' },
  OVERLOADED: { status: 503, meaning: 'The node is at its limit; Retry-After says when to come back.' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof catalogue;

const byKernelStatus = new Map<number, ErrorCode>(
  (Object.entries(catalogue) as [ErrorCode, ErrorEntry][]).flatMap(([code, entry]) =>
    entry.kernelStatus === undefined ? [] : [[entry.kernelStatus, code] as const],
  ),
);

/** The catalogue's code for a kernel status of 16 and up. */
export function codeOfKernelStatus(status: number): ErrorCode {
  return byKernelStatus.get(status) ?? 'KERNEL_CRASHED';
}
