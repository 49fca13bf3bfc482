import { cellsWanted, mostCells } from './device/cells.ts';
import { deviceExamples, deviceProbes } from './device/examples.ts';
import { outputs } from './device/outputs.ts';
import { quoteOf, roundOf } from './device/plan.ts';
import { assumed, present } from './device/present.ts';
import { readProblem } from './device/problem.ts';
import { hasEvenContacts } from './device/profile.ts';
import { type DeviceInput, schema } from './device/schema.ts';
import type { GateDeclaration, Solver } from './solver.ts';

/** In the order of the namespaces Gate in assembly/verdicts/device.ts and device-plane.ts. */
const gates: readonly GateDeclaration[] = [
  {
    name: 'built-in potential',
    quantity: 'Vbi',
    source: '(kT/q)·[asinh(C/2ni)] from contact to contact: Sze & Ng, §2.2',
  },
  {
    name: 'largest field',
    quantity: 'Emax',
    source: 'first integral of Poisson’s equation; of a uniform bar |V|/L',
  },
  {
    name: 'first integral',
    quantity: 'largest error of E at a node, over Emax',
    source: 'E²/2 = (kT/ε)[2ni(cosh u − cosh u₀) − C(u − u₀)]',
  },
  { name: 'Ohm’s law', quantity: 'J', source: 'q(µn·n + µp·p)V/L of a uniform bar; 0 without a bias' },
  {
    name: 'Gauss’ law',
    quantity: 'flux − charge up to every cell, over the largest flux',
    source: 'the charges of the answer',
  },
  {
    name: 'three grids',
    quantity: 'the value',
    source: 'Richardson extrapolation from grids h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'one current',
    quantity: 'how far currents along x differ, over |J|',
    source: 'conservation of charge',
  },
  {
    name: 'recombination',
    quantity: 'how far the gain of electrons or of holes differs from it, over |J|',
    source: 'q∫R dx',
  },
  { name: 'field and potential', quantity: 'largest error of E at a node, over Emax', source: '−∇ψ' },
  {
    name: 'contacts',
    quantity: 'error of ψ over kT/q, of n and p over themselves',
    source: 'neutrality, np = ni², and V',
  },
  {
    name: 'quasi-Fermi potentials',
    quantity: 'error of n and p at a node over themselves, by the steps of φn and φp from V to 0',
    source: 'n = ni·exp(q(ψ − φn)/kT), p = ni·exp(q(φp − ψ)/kT)',
  },
];

const units = { Vbi: 'V', Emax: 'V/m', J: 'A/m^2' } as const;

/** Gates by their places above. */
const [LARGEST, INTEGRAL, THREE_GRIDS] = [1, 2, 5];
const ALONG = 6;

/** Cells that would do where three grids differ, or a closed form is missed; what is left of a current that is less than rounding. */
function ofGate(input: DeviceInput, [gate, , error, bound]: readonly number[]) {
  if (gate === ALONG)
    return {
      field: 'quantity',
      reason: 'so small a current is lost in the rounding of those that drift and diffuse against each other',
      accepts: 'Vbi or Emax, or a larger temperature or ni',
    };
  return [LARGEST, INTEGRAL, THREE_GRIDS].includes(gate!) ? ofGrids(input, error! / bound!) : {};
}

function ofGrids(input: DeviceInput, excess: number) {
  const problem = readProblem(input);
  if (!hasEvenContacts(problem.profile))
    return {
      field: 'doping',
      reason:
        'beside a contact whose doping changes along it, the field has no largest value: it grows with the cells',
      accepts: ['a doping that is the same all along each contact', 'quantity Vbi'],
    };
  const wanted = cellsWanted(input, problem, excess);
  const most = mostCells(problem);
  if (wanted <= most) return { field: 'N', accepts: `N = ${wanted}` };
  const length = Number(((problem.Lx * most) / wanted).toPrecision(2));
  return {
    field: 'N',
    accepts: `N = ${most} in a device that is ${length} m long${input.V ? ', or a smaller V' : ''}`,
  };
}

/** Of the kernel and the verdict: the reason that they show, what was measured, and its bound. */
function refusalDetails(input: DeviceInput, status: number, observed: readonly number[]) {
  if (status === 17) {
    const [iterations, update, tol, V] = observed;
    const where = readProblem(input).dim === 1 ? { V } : {};
    return { field: 'tol', iterations, update, tol, ...where, accepts: 'a larger tol, another N or V' };
  }
  if (status === 18) return ofGate(input, observed);
  if (status !== 20) return {};
  const [reason, measured, bound] = observed;
  if (reason === 1)
    return {
      ...{ field: 'V', measured, bound },
      message: `V: ${measured} V lies more than 0.2 V beyond the built-in potential: the contacts are flooded.`,
      accepts: `up to ${bound} V forward`,
    };
  return {
    ...{ field: input.doping === undefined ? (reason === 2 ? 'Lp' : 'Ln') : 'L', measured, bound },
    message: 'device: a depletion layer reaches a contact, which is then not neutral.',
    accepts: 'a contact at least five Debye lengths beyond the depletion layer',
  };
}

/**
 * A semiconductor device. In: temperature [K], relative permittivity, n_i and dopings [1/m³], lengths [m], for a bias
 * [V] mobilities [m²/(V s)] and lifetimes [s]. Out: built-in potential, ψ at the far end less ψ at x = 0 [V], largest
 * field [V/m] or current density along x [A/m²], with ψ, n, p, E and the I–V curve.
 */
export const device: Solver<DeviceInput> = {
  id: 'device',
  title: 'Semiconductor device',
  summary:
    'Junctions, bars and any doping along x with drift, diffusion and Shockley–Read–Hall recombination: currents of Scharfetter and Gummel, Newton’s method for ψ, n, p together, bias steps of at most 50 mV; in the plane the equilibrium. Held against closed forms where the device has one, against three grids where it has none, and always against Gauss’ law.',
  equation: String.raw`\nabla\cdot(\varepsilon\nabla\psi)=q(n-p-C),\quad\nabla\cdot J_n=qR=-\nabla\cdot J_p`,
  references: [
    'Selberherr, Analysis and Simulation of Semiconductor Devices, §2, 5.1, 6.1, 7.1',
    'Scharfetter & Gummel, IEEE Trans. Electron Devices 16 (1969) 64 (edge currents)',
    'Sze & Ng, Physics of Semiconductor Devices, §2.2–2.3 (junctions)',
    'Shockley, Bell Syst. Tech. J. 28 (1949) 435; Shockley & Read, Phys. Rev. 87 (1952) 835; Hall, Phys. Rev. 87 (1952) 387',
    'Golub & Van Loan, Matrix Computations, §4.5, 11.5 (block elimination, conjugate gradients)',
    'Trottenberg, Oosterlee & Schüller, Multigrid, §2.4, 5.1, 7.8 (grids below the plane’s)',
    'Roache, Annu. Rev. Fluid Mech. 29 (1997) 123 (three grids)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ quantity }) => units[quantity],
  assumed,
  quote: quoteOf,
  plan: (input) => roundOf(input, [])!,
  next: roundOf,
  present: (input, verdict, finished) => present(input, verdict, finished.length - 1),
  refusalDetails,
  examples: deviceExamples,
  probes: deviceProbes,
};
