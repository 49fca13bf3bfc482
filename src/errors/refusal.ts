import { catalogue, type ErrorCode } from './catalogue.ts';

/** What was wrong and what would have been accepted; beside code and message in the error's body. */
export interface RefusalDetails {
  /** Path of the offending field, such as `supports[2].on`. */
  field?: string;
  /** What is accepted there, in words or as a list. */
  accepts?: unknown;
  [name: string]: unknown;
}

/**
 * An expected failure, said in a sentence. Thrown where the caller's input, means or result ends the work;
 * every surface renders it as `{"error": {code, message, …details}}`.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  toJSON(): { error: { code: ErrorCode; message: string } & RefusalDetails } {
    return { error: { code: this.code, message: this.message, ...this.details } };
  }
}

/** Throws the refusal; reads as a statement in validation code. */
export function refuse(code: ErrorCode, message: string, details?: RefusalDetails): never {
  throw new Refusal(code, message, details);
}

/** Whether a reading ends without a refusal. @throws what is none */
export function isTaken(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
