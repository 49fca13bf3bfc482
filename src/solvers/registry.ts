import { nearest } from '../errors/nearest.ts';
import { printableWord } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { acoustic } from './acoustic.ts';
import { action } from './action.ts';
import { autoOf } from './auto.ts';
import { blackhole } from './blackhole.ts';
import { buckling } from './buckling.ts';
import { climate } from './climate.ts';
import { compute } from './compute.ts';
import { device } from './device.ts';
import { dock } from './dock.ts';
import { epi } from './epi.ts';
import { evolve } from './evolve.ts';
import { fea } from './fea.ts';
import { flow } from './flow.ts';
import { fracture } from './fracture.ts';
import { gauge } from './gauge.ts';
import { grid } from './grid.ts';
import { heat } from './heat.ts';
import { kalman } from './kalman.ts';
import { latticeOver } from './lattice.ts';
import { lorenz } from './lorenz.ts';
import { lotka } from './lotka.ts';
import { multibody } from './multibody.ts';
import { opt } from './opt.ts';
import { quant } from './quant.ts';
import { react } from './react.ts';
import { sat } from './sat.ts';
import { schrodinger } from './schrodinger.ts';
import { shiftOver } from './shift.ts';
import { solve } from './solve.ts';
import type { Solver } from './solver.ts';
import { tumor } from './tumor.ts';
import { wave } from './wave.ts';
import { zeta } from './zeta.ts';

/** Every solver, once, in the order of the specification; whatever lists, routes, prices or documents solvers reads this. */
export const solvers: readonly Solver[] = [
  compute,
  solve,
  multibody,
  latticeOver(solverOf),
  shiftOver(solverOf),
  autoOf({ solverOf, all: () => solvers }),
  evolve,
  action,
  heat,
  lorenz,
  wave,
  flow,
  fracture,
  react,
  epi,
  quant,
  zeta,
  sat,
  gauge,
  fea,
  grid,
  device,
  opt,
  climate,
  dock,
  buckling,
  acoustic,
  schrodinger,
  tumor,
  lotka,
  kalman,
  blackhole,
] as readonly Solver[];

const byId = new Map(solvers.map((solver) => [solver.id, solver]));

/** @throws Refusal NOT_FOUND that names the nearest solver */
export function solverOf(id: string): Solver {
  const solver = byId.get(id);
  if (solver) return solver;
  const close = nearest(id, [...byId.keys()]);
  return refuse(
    'NOT_FOUND',
    `There is no solver ‘${printableWord(id)}’${close ? `; did you mean ${close}?` : '.'}`,
    {
      accepts: [...byId.keys()],
    },
  );
}
