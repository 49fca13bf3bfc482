/** What each bench file exports as `figure`: `room: subject, size → unit, against whom`. */
export interface Figure {
  readonly title: string;
  /** Measures. Sizes are small when `quick`, so that the tests can run it. */
  run(): Promise<Row[]>;
  /** Where it takes longer at its whole size than a figure may. Default 10 minutes. */
  readonly limitMs?: number;
}

/** A line of the table. */
export interface Row {
  readonly figure: string;
  /** Undefined where it could not be measured; `note` says why. */
  readonly value?: number | undefined;
  readonly unit: string;
  /** The peer or limit, such as `C strict`. */
  readonly against?: string | undefined;
  /** The peer's value in the same unit; undefined where it could not be measured, and `note` says why. */
  readonly peer?: number | undefined;
  readonly ratio?: number | undefined;
  /** What the ratio should be, such as `N/W ≤ 0.8`. */
  readonly goal?: string | undefined;
  readonly met?: boolean | undefined;
  readonly note?: string | undefined;
}

/** Small sizes: `npm run bench -- --quick`, and the tests. */
export const quick = process.env.BENCH_QUICK === '1';

/** All figures in one go, which should end within the half hour: what can go on for hours takes a share of its size. */
export const whole = process.env.BENCH_WHOLE === '1';

/**
 * A goal for a rate beside its peer's. `atMost` bounds N/W, the peer's rate over ours (1 = parity, below 1 = we are
 * faster); `atLeast` bounds ours over the peer's.
 */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

export interface Measured {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly against: string;
  /** The peer's rate, or a sentence that says why there is none. */
  readonly peer: number | string;
  readonly goal?: Goal;
}

/** A row with its ratio and whether the goal is met; without a peer it says so and claims neither. */
export function rated({ figure, value, unit, against, peer, goal }: Measured): Row {
  const shares = goal !== undefined && 'atLeast' in goal;
  const goalText = goal && ('atLeast' in goal ? `≥ ${goal.atLeast} of it` : `N/W ≤ ${goal.atMost}`);
  const row = { figure, value, unit, against, goal: goalText };
  if (typeof peer === 'string') return { ...row, note: peer };
  const ratio = shares ? value / peer : peer / value;
  const met = goal && ('atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost);
  return { ...row, peer, ratio, met };
}
