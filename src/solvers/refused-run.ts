import { codeOfKernelStatus } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import type { FinishedRun } from '../proof/job.ts';
import type { GateDeclaration, Solver } from './solver.ts';

type Ended = Pick<FinishedRun, 'status' | 'observed'>;

/** What a run of a solver's job that ended with an error is refused with: code, sentence, gate and details. */
export function refusalOfRun<Input>(solver: Solver<Input>, input: Input, failed: Ended): Refusal {
  const code = codeOfKernelStatus(failed.status);
  const { message, ...details } = solver.refusalDetails?.(input, failed.status, failed.observed) ?? {};
  return new Refusal(code, typeof message === 'string' ? message : sentence(solver, input, failed), {
    ...gateDetails(solver, input, failed),
    ...details,
  });
}

const gatesOf = <Input>(solver: Solver<Input>, input: Input): readonly GateDeclaration[] =>
  solver.gatesOf?.(input) ?? solver.gates;

/** A verdict that refuses shows [gate index, kind, error, bound]; never the value. */
function gateDetails<Input>(solver: Solver<Input>, input: Input, failed: Ended): Record<string, unknown> {
  const [index, , error, bound] = failed.observed;
  const gate = failed.status === 18 && index !== undefined ? gatesOf(solver, input)[index] : undefined;
  return gate ? { gate: gate.name, quantity: gate.quantity, error, bound } : {};
}

function sentence<Input>(solver: Solver<Input>, input: Input, failed: Ended): string {
  const details = gateDetails(solver, input, failed) as { gate?: string; error?: number; bound?: number };
  if (details.gate === undefined)
    return `${solver.id}: the run ended with ${codeOfKernelStatus(failed.status)}.`;
  return `${solver.id}: gate ‘${details.gate}’ has error ${details.error}, above its bound ${details.bound}.`;
}
