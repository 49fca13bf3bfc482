import type { Outputs } from '../outputs.ts';
import { type BlackholeInput, HIDDEN } from './problem.ts';

/** Of an orbit that is this round, E and L do not hold the eccentricity (assembly/verdicts/blackhole.ts). */
const ROUND = 1e-3;

/** So is what follows from it, far out, where rounding has left E below that of the circular orbit. */
const isHidden = (
  { mode }: BlackholeInput,
  { e, p, gravitationalRadius }: Readonly<Record<string, unknown>>,
) => mode === 'orbit' && e === 0 && (p as number) > HIDDEN * (gravitationalRadius as number);

export const outputs: Outputs<BlackholeInput> = {
  gravitationalRadius: ['m', 'GM/c².'],
  arcseconds: ['arcsec', 'The angle of the value.'],
  periapsis: ['m', 'Nearest r.', isHidden],
  apoapsis: ['m', 'Furthest r; null where the orbit is open.', isHidden],
  p: ['m', 'Semi-latus rectum.'],
  e: ['1', 'Eccentricity.', ({ mode }, { e }) => mode === 'orbit' && (e as number) < ROUND],
  E: ['1', 'Energy per rest energy.'],
  L: ['m^2/s', 'Angular momentum per mass.'],
  angle: ['rad', 'Angle that is swept: from periapsis to periapsis, or to the far side.'],
  keplerPeriod: ['s', 'Kepler’s period of that orbit.'],
  arcsecondsPerCentury: ['arcsec', 'Advance of the periapsis in a century of such periods.'],
  efficiency: ['1', 'Share of the rest mass that is set free down to the innermost orbit.'],
  stable: [null, 'Whether the orbit is stable.'],
};
