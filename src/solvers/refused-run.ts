import { catalogue, codeOfKernelStatus } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import type { FinishedRun } from '../proof/job.ts';
import { fromTheStart } from './continuation.ts';
import type { GateDeclaration, Solver } from './solver.ts';

type Ended = Pick<FinishedRun, 'status' | 'observed'>;
type Details = Readonly<Record<string, unknown>>;

/** What a run of a solver's job that ended with an error is refused with: code, sentence, gate and details. */
export function refusalOfRun<Input>(solver: Solver<Input>, input: Input, failed: Ended): Refusal {
  const code = codeOfKernelStatus(failed.status);
  const { message, ...own } = solver.refusalDetails?.(input, failed.status, failed.observed) ?? {};
  const ofSolver = { ...gateDetails(solver, input, failed), ...own };
  const details = fromTheStart(solver, input, ofSolver);
  const said = `${solver.id}: ${what(details, catalogue[code].meaning)}${accepted(details)}.`;
  if (typeof message !== 'string') return new Refusal(code, said, details);
  // Where something else is accepted than the solver's own sentence may say.
  const text = details === ofSolver ? message : `${message.replace(/\.$/, '')}${accepted(details)}.`;
  return new Refusal(code, text, details);
}

const gatesOf = <Input>(solver: Solver<Input>, input: Input): readonly GateDeclaration[] =>
  solver.gatesOf?.(input) ?? solver.gates;

/** A verdict that refuses shows [gate index, kind, error, bound]; never the value. */
function gateDetails<Input>(solver: Solver<Input>, input: Input, failed: Ended): Details {
  const [index, , error, bound] = failed.observed;
  const gate = failed.status === 18 && index !== undefined ? gatesOf(solver, input)[index] : undefined;
  return gate ? { gate: gate.name, quantity: gate.quantity, error, bound } : {};
}

/** The drift, or the gate and the solver's own reason, or that alone, or else what the code means. */
function what({ gate, error, bound, driftPct, boundPct, field, reason }: Details, meaning: string): string {
  if (driftPct !== undefined) return `the energy drifts by ${driftPct} %, above its bound of ${boundPct} %`;
  if (gate !== undefined)
    return `gate ‘${gate}’ has error ${error}, above its bound ${bound}${typeof reason === 'string' ? `: ${reason}` : ''}`;
  const why = typeof reason === 'string' ? reason : meaning.charAt(0).toLowerCase() + meaning.slice(1, -1);
  return field === undefined ? why : `${field}: ${why}`;
}

/** What would have been taken, and for which field where the sentence has not named it yet. */
function accepted({ accepts, gate, field }: Details): string {
  const text = Array.isArray(accepts) ? accepts.join(', ') : accepts;
  if (typeof text !== 'string' && typeof text !== 'number') return '';
  return `; accepted${gate !== undefined && field !== undefined ? ` for ${field}` : ''}: ${text}`;
}
