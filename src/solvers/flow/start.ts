import { refuseElsewhere } from '../continuation.ts';
import { flatArray, invalid, missing } from '../grid/box.ts';
import type { PlaneProblem, SectionStart } from './problem.ts';
import type { FlowInput } from './schema.ts';

const starts = ['initialState {u, v, t0}'];

/** Velocities at t0. @throws Refusal that names the field */
export function readStart(input: FlowInput, nx: number, ny: number): PlaneProblem['start'] {
  const { initialState, case: form } = input;
  refuseElsewhere('flow', initialState, starts);
  if (!initialState) return form === 'taylor-green' ? { kind: 'vortices' } : { kind: 'uniform', u: 0, v: 0 };
  if (form === 'taylor-green' && input.U !== undefined)
    invalid('initialState', 'the start is given twice', ['U', ...starts]);
  const { u, v } = initialState;
  if (u === undefined) missing('initialState.u', ['initialState.u'], starts);
  if (v === undefined) missing('initialState.v', ['initialState.v'], starts);
  if (typeof u === 'number' && typeof v === 'number') return { kind: 'uniform', u, v };
  const spread = (field: string, value: NonNullable<typeof u>, columns: number, rows: number) =>
    typeof value === 'number'
      ? new Array<number>(columns * rows).fill(value)
      : flatArray(field, value, columns, rows);
  return {
    kind: 'arrays',
    u: spread('initialState.u', u, nx + 1, ny),
    v: spread('initialState.v', v, nx, ny + 1),
  };
}

/** Velocity at t0 in the cells of a section. @throws Refusal that names the field */
export function readSectionStart(input: FlowInput, ny: number, nz: number): SectionStart {
  const { initialState } = input;
  const accepts = ['initialState {u, t0}'];
  refuseElsewhere('flow', initialState, accepts);
  if (!initialState) return { kind: 'rest' };
  const { u, v } = initialState;
  if (u === undefined) missing('initialState.u', ['initialState.u'], accepts);
  if (v !== undefined) invalid('initialState.v', `a ${input.case} has velocity along x alone`, 'no v');
  if (typeof u === 'number') return u === 0 ? { kind: 'rest' } : { kind: 'uniform', u };
  return { kind: 'cells', u: flatArray('initialState.u', u, ny, nz) };
}

const largest = (values: readonly number[]) =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

interface Driven {
  readonly nu: number;
  readonly g: readonly [number, number];
  readonly duration: number;
}

/** What |u| and |v| may come to: start and sides, and what a force adds until it is balanced or the run ends. */
export function speedsOf(
  { case: form, U, Lx, Ly }: FlowInput,
  sides: readonly number[],
  start: PlaneProblem['start'],
  { nu, g, duration }: Driven,
): readonly [number, number] {
  if (start.kind === 'vortices') return [U!, (U! * Ly) / Lx!];
  if (form === 'cavity') return [U!, 0];
  const all = largest(sides);
  const width = Math.min(Lx!, Ly);
  const added = (force: number) => Math.abs(force) * Math.min(duration, (width * width) / (8 * nu));
  const [u, v] =
    start.kind === 'uniform' ? [Math.abs(start.u), Math.abs(start.v)] : [largest(start.u), largest(start.v)];
  return [Math.max(all, u) + added(g[0]), Math.max(all, v) + added(g[1])];
}
