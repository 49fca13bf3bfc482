import { outputAt, outputsFor } from '../../src/solvers/outputs.ts';
import type { Presentation, Solver } from '../../src/solvers/solver.ts';

/** Paths of outputs that the declaration does not name, or whose number has no unit there and none beside it. */
export function numbersWithoutUnit<Input>(
  solver: Solver<Input>,
  input: Input,
  { outputs }: Presentation,
): string[] {
  const declared = outputsFor(solver, input);
  const paths = Object.keys(declared);
  const found = new Set<string>();
  const visit = (at: unknown, path: string, besideUnit: boolean): void => {
    if (Array.isArray(at)) {
      for (const entry of at) visit(entry, path, besideUnit);
      return;
    }
    const output = outputAt(declared, path);
    const isNamed = output !== undefined || paths.some((inner) => inner.startsWith(`${path}.`));
    const unit = output?.[0] ?? null;
    if (!isNamed || (typeof at === 'number' && !besideUnit && unit === null)) found.add(path);
    if (typeof at !== 'object' || at === null) return;
    for (const [name, inner] of Object.entries(at))
      if (inner !== undefined) visit(inner, `${path}.${name}`, 'unit' in at);
  };
  for (const [name, shown] of Object.entries(outputs)) if (shown !== undefined) visit(shown, name, false);
  return [...found];
}

const shown = new Map<string, Set<string>>();

/** Remembers which of its declared outputs a job shows. */
export function noteShown<Input>(solver: Solver<Input>, input: Input, { outputs }: Presentation): void {
  const paths = shown.get(solver.id) ?? new Set();
  shown.set(solver.id, paths);
  for (const path of Object.keys(outputsFor(solver, input))) if (isShown(outputs, path)) paths.add(path);
}

/** Outputs that a solver declares and no job of this process has shown; `continues` is of jobs that go on. */
export const neverShown = <Input>({ id, outputs }: Solver<Input>): string[] =>
  Object.keys(outputs).filter((path) => path !== 'continues' && !shown.get(id)?.has(path));

function isShown(at: unknown, path: string): boolean {
  if (path === '') return at !== null && at !== undefined;
  if (Array.isArray(at)) return at.some((entry) => isShown(entry, path));
  if (typeof at !== 'object' || at === null) return false;
  return Object.entries(at).some(
    ([name, inner]) =>
      (path === name && isShown(inner, '')) ||
      (path.startsWith(`${name}.`) && isShown(inner, path.slice(name.length + 1))),
  );
}
