import { utf8 } from '../proof/bytes.ts';
import type { LogProof } from '../proof/checkpoint.ts';
import type { SealedEnvelope } from '../proof/envelope.ts';
import { sealedText } from '../proof/make-answer.ts';
import { type Diagnostics, makeReceipt } from '../proof/receipt.ts';

/** An answer that waits for its envelope and its place in the log: plain data, which may go to another thread. */
export interface UnsealedAnswer {
  /** JSON of the answer's body, without braces. */
  readonly text: string;
  readonly diagnostics: Diagnostics;
}

/** The answer's JSON bytes. */
export function answerBytes(
  { text, diagnostics }: UnsealedAnswer,
  sealed: SealedEnvelope,
  log: LogProof,
): Uint8Array {
  const receipt = makeReceipt(sealed.envelope, log, diagnostics);
  return utf8(sealedText(text, sealed.envelope, sealed.text, receipt));
}
