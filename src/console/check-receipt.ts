import { readAnswer } from '../proof/read-answer.ts';
import { type Verification, verifyAnswer } from '../proof/verify.ts';
import { nodeKey } from './node-api.ts';

/**
 * The verifier of `svc verify`, in the browser: every hash, the inclusion in the log and the signature are computed
 * again here, against the key that the node states of itself.
 */
export async function checkReceipt(text: string): Promise<Verification> {
  return verifyAnswer(readAnswer(text), { vkeys: [await nodeKey()] });
}
