import { Refusal } from '../errors/refusal.ts';

/** The steps of an envelope, as a refusal reports them (CMP-09): 4 and 5 are degraded, nothing was sealed. */
const steps = ['plan', 'hold', 'execute', 'gate', 'seal'] as const;
export type Step = (typeof steps)[number];

/** A refusal that says how far the request came: what was done, where it stopped, what did not happen. */
export function traced(error: unknown, stoppedAt: Step): unknown {
  if (!(error instanceof Refusal) || error.details.trace) return error;
  const stop = steps.indexOf(stoppedAt);
  const trace = steps.map((name, i) => ({ step: i + 1, name, state: stateOf(i, stop) }));
  return new Refusal(error.code, error.message, { ...error.details, trace });
}

function stateOf(step: number, stop: number): string {
  if (step >= 3) return 'degraded';
  if (step < stop) return 'done';
  return step === stop ? 'refused' : 'not reached';
}
