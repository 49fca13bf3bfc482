import { createHash } from 'node:crypto';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { readInput } from '../../src/solvers/input.ts';
import { readVerdict } from '../../src/solvers/verdict.ts';
import { kernelDigest, kernelModule } from '../../test/solvers/run-job.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { median } from '../timing.ts';

const calls = quick ? 200 : 2000;
const rounds = quick ? 3 : 9;
const body = compute.examples[1]!.body; // ECHO5: one exponential, one cosine, one unit conversion

/** Read by the schema and brought into its one form. */
const ready = (): ComputeInput => compute.canonical!(readInput(compute.input, body).input as ComputeInput);

const kernel = instantiateKernel(kernelModule('expression'));
const digest = kernelDigest('expression');
const noHash = new Uint8Array(32);
const plan = compute.plan(ready(), { requestHash: noHash });
const run = plan.runs[0]!;
const parameters = (run.parts[0] as { bytes: Uint8Array<ArrayBuffer> }).bytes;

/** The kernel alone: parameters in, status out. */
function evaluate(): number {
  const at = kernel.configure(parameters.length);
  new Uint8Array(kernel.memory.buffer, at, parameters.length).set(parameters);
  kernel.start(1e6);
  kernel.advance(1, 1e6);
  return kernel.status();
}

/** Body → canonical request and its hash → plan → run with its digests → verdict → labels: all but seal and store. */
function result(): number {
  const input = ready();
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest();
  const planned = compute.plan(input, { requestHash }).runs[0]!;
  const bytes = (planned.parts[0] as { bytes: Uint8Array<ArrayBuffer> }).bytes;
  const finished = driveRun(kernel, {
    kernel: digest,
    parameters: bytes,
    stepsPerSegment: planned.stepsPerSegment,
    memory: planned.memory,
    work: planned.work,
  });
  const verdict = readVerdict(finished.result, compute.gates);
  compute.present(input, verdict, [finished]);
  return verdict.value;
}

function planning(): number {
  const input = ready();
  return compute.plan(input, { requestHash: noHash }).runs.length;
}

/** Calls per second of processor time, the median of rounds: other work on the machine does not count. */
function rate(work: () => unknown): number {
  const measured: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) work();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) measured.push((calls / (user + system)) * 1e6);
  }
  return median(measured);
}

export const figure: Figure = {
  title: 'compute: ECHO5 in closed form → results/s in one process, against the rate asked for',
  run(): Promise<Row[]> {
    const results = rate(result);
    const value = result();
    return Promise.resolve([
      {
        figure: 'compute: ECHO5 kernel alone',
        value: rate(evaluate),
        unit: '1/s',
        note: `status ${evaluate()}`,
      },
      { figure: 'compute: ECHO5 read and planned', value: rate(planning), unit: '1/s' },
      {
        figure: 'compute: ECHO5 body to verdict',
        value: results,
        unit: '1/s',
        against: 'closed forms a process',
        peer: 15_000,
        ratio: results / 15_000,
        goal: '≥ 1 of it',
        met: results >= 15_000,
        note: `value ${value}`,
      },
    ]);
  },
};
