import type { Problem } from './problem.ts';

/** T + |V| at the start, beside which the drift of the energy counts (assembly/action/exact.ts), of systems that are held by steps. */
export function energyScale({ system, m, constants: [k, alpha], q, p }: Problem): number {
  const motion = p.reduce((sum, each) => sum + each * each, 0) / (2 * m);
  const [x = 0, y = 0] = q;
  if (system === 'henon-heiles')
    return motion + Math.abs((x * x + y * y) / 2 + k * (x * x * y - (y * y * y) / 3));
  const stored = [...q, 0].reduce((sum, end, i) => {
    const stretch = end - (q[i - 1] ?? 0);
    return sum + (k / 2 + (alpha * stretch) / 3) * stretch * stretch;
  }, 0);
  return motion + Math.abs(stored);
}
