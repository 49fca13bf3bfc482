import type { Outputs } from '../outputs.ts';
import type { BlackholeInput } from './problem.ts';

/** Of an orbit that is this round, E and L do not hold the eccentricity (assembly/verdicts/blackhole.ts). */
const ROUND = 1e-3;

export const outputs: Outputs<BlackholeInput> = {
  gravitationalRadius: ['m', 'GM/c².'],
  arcseconds: ['arcsec', 'The angle of the value.'],
  periapsis: ['m', 'Nearest r.'],
  apoapsis: ['m', 'Furthest r; null where the orbit is open.'],
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
