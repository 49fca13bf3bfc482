import { Refusal } from '../../src/errors/refusal.ts';

/** What can go wrong between us and the server. All but `refused`, `closed` and `api` pass with time. */
export type BusProblem =
  | 'unreachable'
  | 'refused'
  | 'timeout'
  | 'no-responders'
  | 'disconnected'
  | 'closed'
  | 'full'
  | 'api';

export class BusError extends Error {
  override readonly name = 'BusError';
  readonly problem: BusProblem;
  /** JetStream's own number of the error (nats-server, server/errors.json), for `api` and `full`. */
  readonly apiCode: number;

  constructor(problem: BusProblem, message: string, apiCode = 0) {
    super(message);
    this.problem = problem;
    this.apiCode = apiCode;
  }

  static ofApi(error: { readonly err_code?: number; readonly description?: string }): BusError {
    const { err_code: code = 0, description = 'JetStream refused' } = error;
    const isFull = fullCodes.has(code) || /maximum (bytes|messages)|resource limits/.test(description);
    return new BusError(isFull ? 'full' : 'api', description, code);
  }
}

/** Storage of the server or of the account is used up; a stream's own limit shows in the description alone. */
const fullCodes = new Set([10023, 10028, 10047]);

/** A stream that already has as many messages on this subject as it may have. */
export const isOnSubjectAlready = (error: unknown): boolean =>
  error instanceof BusError && error.problem === 'full' && /per subject/.test(error.message);

const problems: Readonly<Record<string, BusProblem>> = {
  '503': 'no-responders',
  TIMEOUT: 'timeout',
  DISCONNECT: 'disconnected',
  CONNECTION_CLOSED: 'closed',
  CONNECTION_DRAINING: 'closed',
  CONNECTION_REFUSED: 'unreachable',
  CONNECTION_TIMEOUT: 'unreachable',
  AUTHORIZATION_VIOLATION: 'refused',
  BAD_AUTHENTICATION: 'refused',
  AUTHENTICATION_EXPIRED: 'refused',
  PERMISSIONS_VIOLATION: 'refused',
};

/** An error of the client as one of ours. What it does not name is a programming error, and stays what it is. */
export function busError(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const problem = problems[String(code)];
  return problem ? new BusError(problem, message ?? problem) : error;
}

const notAdmitted =
  'The mesh does not let this node in: it is not admitted, was barred, or no service node is there to say so.';

/** What a person is told when there is no way in; `outside` where the server knows no such key. */
export function asRefusal(error: unknown, outside = notAdmitted): never {
  if (!(error instanceof BusError)) throw error;
  if (error.problem === 'refused') throw new Refusal('FORBIDDEN', outside);
  if (error.problem === 'full')
    throw new Refusal(
      'MESH_UNAVAILABLE',
      `The NATS server has no room for the streams of the mesh: ${error.message}.`,
    );
  throw new Refusal('MESH_UNAVAILABLE', `The mesh cannot be reached: ${error.message}.`);
}
