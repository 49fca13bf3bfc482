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
