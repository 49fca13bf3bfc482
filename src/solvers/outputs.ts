/**
 * What stands beside the value of an answer, by dotted path; a list's entries have the path of the list, and a path
 * speaks for all beneath it that have none of their own.
 *
 * The unit is null of what is no number, or has its unit beside it under `unit`. `value` is the unit of the value; a
 * function gets that and the input, and gives null where a unit cannot be known.
 *
 * A number that no gate looks at, nor what it follows from, may be off by more than the value: it is `unsealed`, or
 * where the function of the input and of what is shown says so. The answer lists it among what nobody vouches for.
 */
export type Outputs<Input = unknown> = Readonly<Record<string, Output<Input>>>;
export type Output<Input = unknown> = readonly [
  unit: OutputUnit<Input>,
  meaning: string,
  unsealed?: 'unsealed' | ((input: Input, shown: Shown) => boolean),
];
type Shown = Readonly<Record<string, unknown>>;
type OutputUnit<Input> = string | null | ((input: Input, unitOfValue: string | null) => string | null);

/** What a solver declares of its answers. */
interface Declared<Input> {
  readonly outputs: Outputs<Input>;
  outputsOf?(input: Input): Outputs<Input>;
  unit(input: Input): string | null;
}

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

/** What a solver may show for an input, with the units that this input gives and what it leaves without a gate. */
export function outputsFor<Input>(solver: Declared<Input>, input: Input): Outputs {
  const outputs = solver.outputsOf?.(input) ?? solver.outputs;
  const ofValue = solver.unit(input);
  const unitFor = (unit: OutputUnit<Input>): OutputUnit<unknown> => {
    if (typeof unit !== 'function') return unit === 'value' ? () => ofValue : unit;
    const known = unit(input, ofValue);
    return () => known;
  };
  const bound = ([unit, meaning, unsealed]: Output<Input>): Output => [
    unitFor(unit),
    meaning,
    typeof unsealed === 'function' ? (_, shown) => unsealed(input, shown) : unsealed,
  ];
  return Object.fromEntries(Object.entries(outputs).map(([path, output]) => [path, bound(output)]));
}

/** Of units that cannot be known, such as that of a formula of the caller's own. */
export const NOT_KNOWN = 'not known';

/** What is said of the numbers that stand in an answer beside its value. */
export interface Said {
  /** Units, each with the paths of its numbers: the member `units`. */
  readonly units: Record<string, string[]>;
  /** Whether no gate looks at a path; undefined where all are held. */
  readonly isUnsealed: ((path: string) => boolean) | undefined;
}

export function saidOf<Input>(solver: Declared<Input>, input: Input, shown: Shown): Said {
  const units: Record<string, string[]> = {};
  const outputs = outputsFor(solver, input);
  for (const [path, [unit]] of Object.entries(outputs)) {
    if (unit === null || !hasNumber(shown, path)) continue;
    const name = (typeof unit === 'function' ? unit(undefined, null) : unit) ?? NOT_KNOWN;
    units[name] = [...(units[name] ?? []), path];
  }
  const isOpen = ([, , unsealed]: Output) =>
    typeof unsealed === 'function' ? unsealed(input, shown) : unsealed !== undefined;
  if (!Object.values(outputs).some(isOpen)) return { units, isUnsealed: undefined };
  return { units, isUnsealed: (path) => isOpen(outputAt(outputs, path) ?? [null, '']) };
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
