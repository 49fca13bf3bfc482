import { type Goal, quick, type Row, rated } from './figure.ts';
import { cpuRate, type JobResult, wholeJob } from './job.ts';
import { PythonPeer, pythonMissing, roundSeconds } from './python.ts';
import { alternatingMedians, type Contender, WARM_MS } from './timing.ts';

/** A job, and the function of a script in bench/python that solves the same problem to the same accuracy. */
export interface Case {
  readonly solver: string;
  readonly what: string;
  readonly body: object;
  /** What a user would otherwise pick, such as `SciPy DOP853`. */
  readonly peer: string;
  readonly ask: readonly [name: string, parameters: object];
  /** The number that both must find; absent: what the peer finds itself, with `rtol` 1e-13 where it has one. */
  readonly truth?: number;
  /** Largest difference of either from the truth, relative to it. */
  readonly within: number;
  /** What the job found, where it is not the value. */
  readonly found?: (job: JobResult) => number;
  /** What the job did in the `unit` of the row; absent: one job. The script counts its own work in the same unit. */
  readonly work?: (job: JobResult) => number;
  readonly unit?: string;
  /** Absent: not slower than the peer. */
  readonly goal?: Goal;
}

const rounds = quick ? 1 : 3;

function off(found: number, truth: number): number {
  return Math.abs(found - truth) / (truth === 0 ? 1 : Math.abs(truth));
}

async function truthOf({ truth, ask }: Case, peer: PythonPeer): Promise<number> {
  if (truth !== undefined) return truth;
  const [name, parameters] = ask;
  const tighter = 'rtol' in parameters ? { ...parameters, rtol: 1e-13 } : parameters;
  return (await peer.round(name, tighter, 0)).value;
}

/** @throws Error where one of the two is not as exact as the case says */
async function accuracy(each: Case, peer: PythonPeer): Promise<string> {
  const job = await wholeJob(each.solver, each.body);
  const ours = each.found ? each.found(job) : job.verdict.value;
  const { value: theirs } = await peer.round(...each.ask, 0);
  const truth = await truthOf(each, peer);
  for (const [who, found] of Object.entries({ ours, theirs }))
    if (!(off(found, truth) <= each.within))
      throw new Error(`${each.solver}, ${each.what}: ${who} is ${found}, not ${truth} within ${each.within}`);
  return `${ours}: off by ${off(ours, truth).toExponential(1)}, the peer by ${off(theirs, truth).toExponential(1)}`;
}

async function rowOf(each: Case, peer: PythonPeer | undefined): Promise<Row> {
  const ours = () =>
    cpuRate(async () => {
      const job = await wholeJob(each.solver, each.body);
      return each.work ? each.work(job) : 1;
    }, roundSeconds);
  const row = {
    figure: `${each.solver}: ${each.what}`,
    unit: each.unit ?? 'jobs/s',
    against: `Python: ${each.peer}`,
    goal: each.goal ?? { atMost: 1 },
  };
  if (!peer) return rated({ ...row, value: await ours(), peer: pythonMissing || 'none' });
  const note = await accuracy(each, peer);
  const python = async () => (await peer.round(...each.ask)).rate;
  const measured = await alternatingMedians(rounds, { ours, python }, WARM_MS);
  return { ...rated({ ...row, value: measured.ours, peer: measured.python }), note };
}

/** Whole jobs, verdict included, beside what a user would write in Python; both in one thread, by processor time. */
export async function besidePython(script: string, cases: readonly Case[]): Promise<Row[]> {
  const peer = pythonMissing ? undefined : new PythonPeer(script);
  const rows: Row[] = [];
  try {
    for (const each of cases) rows.push(await rowOf(each, peer));
  } finally {
    peer?.close();
  }
  return rows;
}

/** The same method on the same grid in Python: a function of bench/python/kernels.py, and what the kernel finds. */
export interface SameMethod {
  readonly figure: string;
  /** Of the rate, as the function counts its own work. */
  readonly unit: string;
  readonly peer: string;
  readonly ask: readonly [name: string, parameters: object];
  /** One round of the kernel. */
  readonly ours: Contender;
  readonly own: () => number;
  /** Largest difference of both numbers, relative. */
  readonly within: number;
}

/** @throws Error where the two do not find the same */
export async function besideNumpy(same: SameMethod): Promise<Row> {
  const { figure, unit, peer, ask, ours, own, within } = same;
  const row = { figure, unit, against: `Python: ${peer}`, goal: { atMost: 1 } };
  if (pythonMissing) {
    const { value } = await alternatingMedians(rounds, { value: ours });
    return rated({ ...row, value, peer: pythonMissing });
  }
  const process = new PythonPeer('kernels');
  try {
    const theirs = (await process.round(...ask, 0)).value;
    const found = own();
    if (!(off(found, theirs) <= within))
      throw new Error(`${figure}: Python has ${theirs}, the kernel ${found}`);
    const python = async () => (await process.round(...ask)).rate;
    const measured = await alternatingMedians(rounds, { ours, python });
    return rated({ ...row, value: measured.ours, peer: measured.python });
  } finally {
    process.close();
  }
}
