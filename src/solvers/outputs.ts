import type { Solver } from './solver.ts';

/**
 * What stands beside the value of an answer, by dotted path; a list's entries have the path of the list, and a path
 * speaks for all beneath it that have none of their own.
 *
 * The unit is null of what is no number, or has its unit beside it under `unit`. `value` is the unit of the value; a
 * function gets that and the input, and gives null where a unit cannot be known.
 */
export type Outputs<Input = unknown> = Readonly<Record<string, Output<Input>>>;
export type Output<Input = unknown> = readonly [unit: OutputUnit<Input>, meaning: string];
type OutputUnit<Input> = string | null | ((input: Input, unitOfValue: string | null) => string | null);

type Declared<Input> = Pick<Solver<Input>, 'outputs' | 'outputsOf' | 'unit'>;

/** Of a job that goes on from an earlier one. */
export const continues: Output = ['1', 'The job that this one goes on from, and how much of it came before.'];
export const grids: Outputs = {
  grids: ['value', 'The value on the grid of the answer and on grids of 2 h and 4 h.'],
  'grids.order': ['1', 'Order that the three show.'],
  'grids.extrapolated': [null, 'Whether the value is the limit of the three.'],
};

/** The declaration of a path: its own, or the nearest above it. */
export function outputAt(outputs: Outputs, path: string): Output | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const found = Object.hasOwn(outputs, at) ? outputs[at] : undefined;
    if (found) return found;
  }
  return undefined;
}

/** What a solver may show for an input, with the units that this input gives. */
export function outputsFor<Input>(solver: Declared<Input>, input: Input): Outputs {
  const outputs = solver.outputsOf?.(input) ?? solver.outputs;
  const ofValue = solver.unit(input);
  const bound = ([unit, meaning]: Output<Input>): Output => {
    if (typeof unit !== 'function') return [unit === 'value' ? () => ofValue : unit, meaning];
    const known = unit(input, ofValue);
    return [() => known, meaning];
  };
  return Object.fromEntries(Object.entries(outputs).map(([path, output]) => [path, bound(output)]));
}

/** Of units that cannot be known, such as that of a formula of the caller's own. */
export const NOT_KNOWN = 'not known';

/** Units of the numbers that stand in an answer beside its value, each with the paths of its numbers: its member `units`. */
export function unitsOf<Input>(
  solver: Declared<Input>,
  input: Input,
  shown: Readonly<Record<string, unknown>>,
): Record<string, string[]> {
  const units: Record<string, string[]> = {};
  for (const [path, [unit]] of Object.entries(outputsFor(solver, input))) {
    if (unit === null || !hasNumber(shown, path)) continue;
    const name = (typeof unit === 'function' ? unit(undefined, null) : unit) ?? NOT_KNOWN;
    units[name] = [...(units[name] ?? []), path];
  }
  return units;
}

function hasNumber(at: unknown, path: string): boolean {
  if (Array.isArray(at)) return at.some((entry) => hasNumber(entry, path));
  if (path === '') {
    if (typeof at !== 'object' || at === null) return typeof at === 'number';
    return Object.values(at).some((inner) => hasNumber(inner, ''));
  }
  if (typeof at !== 'object' || at === null) return false;
  // Names of axes hold dots.
  return Object.entries(at).some(([name, inner]) =>
    path === name
      ? hasNumber(inner, '')
      : path.startsWith(`${name}.`) && hasNumber(inner, path.slice(name.length + 1)),
  );
}
