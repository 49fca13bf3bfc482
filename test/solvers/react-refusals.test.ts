import t from 'tap';
import { readInput } from '../../src/solvers/input.ts';
import { react } from '../../src/solvers/react.ts';
import { type Refused, testRefusals } from './refusals.ts';
import { refusalOf, solved } from './solver-test.ts';

const fisher = {
  model: 'fisher',
  dim: 1,
  D: 1,
  r: 1,
  Lx: 8,
  boundary: 'noflux',
  initial: { type: 'gaussian', x0: [4], w: 1, deltaU: 0.5 },
  t_end: 1,
  N: 64,
};
const grayScott = {
  model: 'grayscott',
  dim: 1,
  Du: 2e-5,
  Dv: 1e-5,
  F: 0.04,
  k: 0.06,
  Lx: 1,
  boundary: 'periodic',
  initial: { type: 'gaussian', x0: [0.5], w: 0.05, deltaU: -0.5, deltaV: 0.25 },
  t_end: 10,
  N: 64,
};
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const arrays = { u: new Array(65).fill(0.5), v: new Array(65).fill(0.2) };

const own = (reaction: object, more: object = {}) => ({
  ...{ model: 'own', dim: 1, D: 1, Lx: 8, boundary: 'noflux', t_end: 1, N: 64 },
  initial: { type: 'gaussian', x0: [4], w: 1, deltaU: 0.5 },
  rest: { u: 0 },
  reaction,
  ...more,
});

t.test('a narrow start is told an N that the limit of work takes', async (t) => {
  const initial = { type: 'gaussian', x0: [5], w: 1e-3, deltaU: 0.1, deltaV: 0 };
  const narrow = { ...grayScott, Du: 1, Dv: 0.5, Lx: 10, t_end: 1, initial };
  const { details } = await refusalOf(react, narrow);
  const [, N, time] = /^N = (\d+) with a t_end of at most (\S+),/.exec(String(details.accepts)) ?? [];
  const { input } = readInput(react.input, { ...narrow, N: Number(N), t_end: Number(time) });
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('none')) };
  t.ok(react.quote(input as never, context as never).work > 0, String(details.accepts));
});

t.test('three grids that do not agree are sent to the cells that do', async (t) => {
  const coarse = { ...grayScott, t_end: 400, N: 64 };
  const { details } = await refusalOf(react, coarse);
  t.match(details, { gate: 'three grids', field: 'N', accepts: 'N = 256' });
  const { value } = (await solved(react, { ...coarse, N: 256 })).verdict;
  t.ok(Math.abs(value / 0.8720314958 - 1) < 1e-3, `${value}: Chebyshev collocation, another program`);
  const stepped = await refusalOf(react, { ...coarse, dt: 0.1 });
  t.equal(stepped.details.accepts, 'N = 256 with the usual dt');
});

t.test('a reaction that becomes too fast is sent to a step that does to the end', async (t) => {
  const growing = {
    ...{ model: 'own', dim: 1, Lx: 1.666, t_end: 2.634, D: 0.00154, boundary: 'noflux', N: 64 },
    reaction: { u: '1.954*u*(1-u^2)' },
    rest: { u: 0 },
    initial: { type: 'gaussian', x0: [0.8], w: 0.15, deltaU: 0.3 },
  };
  const { code, details } = await refusalOf(react, growing);
  t.equal(code, 'STABILITY_LIMIT');
  await t.resolves(solved(react, { ...growing, dt: details.maxDt }), `${details.accepts}`);
});

const cosines = (cells: number, waves: readonly (readonly [half: number, amplitude: number])[]) =>
  Array.from({ length: cells + 1 }, (_, i) =>
    waves.reduce((sum, [half, size]) => sum + size * Math.cos((Math.PI * half * i) / cells), 0.5),
  );
const spread = (u: readonly number[], more: object = {}) => ({
  ...{ model: 'own', dim: 1, D: 1e-3, Lx: 1, boundary: 'noflux', t_end: 1, N: u.length - 1 },
  ...{ reaction: { u: '-0.3*(u - 0.5)' }, initialState: { u }, quantity: 'wavelength' },
  ...more,
});
/** What a mode of so many half waves loses to diffusion in 1 s. */
const lost = (half: number) => Math.exp(-1e-3 * (Math.PI * half) ** 2);

t.test('cells too wide for a front are told the N that is not', async (t) => {
  const wide = { model: 'fisher', dim: 1, D: 1, r: 1, boundary: 'noflux', Lx: 20, t_end: 1 };
  const initial = { type: 'gaussian', x0: [10], w: 2, deltaU: 0.5 };
  const { code, details } = await refusalOf(react, { ...wide, N: 100, initial });
  t.match({ code, ...details }, { code: 'STABILITY_LIMIT', field: 'N', accepts: 'N = 160' });
  await t.resolves(solved(react, { ...wide, N: 160, initial }));
  const initialState = { u: new Array(101).fill(0.5) };
  const ofArrays = (await refusalOf(react, { ...wide, initialState })).details;
  t.match(ofArrays, { field: 'initialState', accepts: 'initialState on the nodes of N = 160' });
});

t.test('a front is held with the usual cells; with fewer it is sent to the cells that do', async (t) => {
  const front = {
    ...{ ...fisher, N: undefined, Lx: 80, t_end: 5, quantity: 'value', probe: [40] },
    initial: { type: 'front', x0: [30] },
  };
  const { value } = (await solved(react, front)).verdict;
  t.ok(Math.abs(value / 0.2714759291 - 1) < 1e-3, `${value}: Ablowitz & Zeppetella 1979`);
  const { details } = await refusalOf(react, { ...front, N: 640 });
  t.match(details, { gate: 'field', field: 'N', accepts: 'N = 1032' });
  await t.resolves(solved(react, { ...front, N: 1032 }));
});

t.test('a wavelength is that of the strongest mode, where the grids part it from the next', async (t) => {
  const apart = spread(
    cosines(128, [
      [6, 0.06 / lost(6)],
      [12, 0.05 / lost(12)],
    ]),
  );
  t.equal((await solved(react, apart)).verdict.value, 1 / 3);
  const { message } = await refusalOf(
    react,
    spread(
      cosines(128, [
        [6, 0.05001 / lost(6)],
        [12, 0.05 / lost(12)],
      ]),
    ),
  );
  t.match(message, /gate ‘one mode’ has error .* accepted for quantity: more cells/);
});

t.test('means that stay are no imbalance, whatever rounding leaves of them', async (t) => {
  const u = cosines(64, [[3, 0.2]]);
  const { verdict } = await solved(react, spread(u, { quantity: 'value', probe: [0.3] }));
  const exact = 0.5 + 0.2 * lost(3) * Math.exp(-0.3) * Math.cos(0.9 * Math.PI);
  t.ok(Math.abs(verdict.value / exact - 1) < 1e-4, `${verdict.value}, ${exact}: separation of variables`);
});

const refused: readonly Refused[] = [
  {
    title: 'a start on too few nodes for what it has',
    body: {
      ...{ ...without(fisher, 'initial', 'N'), Lx: 6, t_end: 0.2, quantity: 'value' },
      initialState: { u: Array.from({ length: 65 }, (_, i) => Math.exp(-(((i - 30.5) / 1.5) ** 2))) },
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'initialState',
  },
  {
    title: 'a wavelength of a field that is even',
    body: spread(cosines(64, [])),
    code: 'OUTSIDE_TOLERANCE',
    field: 'quantity',
  },
  {
    title: 'a wavelength where a mode too narrow for the spectrum is the strongest',
    body: spread(
      cosines(64, [
        [6, 0.05],
        [12, 0.5],
      ]),
    ),
    code: 'OUTSIDE_TOLERANCE',
    field: 'quantity',
  },
  {
    title: 'a reaction that stands still at a concentration which no node has',
    body: own({ u: '-u + exp(-((u - 0.33337)/0.00002)^2)' }, { dt: 0.0005, t_end: 0.1 }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'reaction',
  },
  {
    // Without the last term u = 2te^(−t) passes 0.3 at the centre, is 0.736 at most and back at 0.030 at the end. With it
    // scipy's Radau, led through it in steps of 10⁻⁶, stays at 0.3 and ends at 0.0253. Mean and probe stay below 0.14.
    title: 'a rate that holds u at a concentration which only a pulse between start and end reaches',
    body: own(
      { u: '2*v - u - 50*exp(-((u - 0.3)/0.000001)^2)', v: '-v' },
      {
        ...{ D: undefined, Du: 1e-9, Dv: 1e-9, Lx: 1, t_end: 6, dt: 0.0005, rest: { u: 0, v: 0 } },
        initial: { type: 'gaussian', x0: [0.5], w: 0.1, deltaU: 0, deltaV: 1 },
        probe: [0.1],
      },
    ),
    code: 'OUTSIDE_TOLERANCE',
    field: 'reaction',
  },
  {
    title: 'a model of its own without a reaction',
    body: without(own({ u: 'u' }), 'reaction'),
    code: 'MISSING_INPUT',
    field: 'reaction.u',
  },
  {
    title: 'a reaction with a letter that nobody gave',
    body: own({ u: 'r*u' }),
    code: 'MISSING_INPUT',
    field: 'parameters.r',
  },
  {
    title: 'a reaction that is no rate',
    body: own({ u: 'r*u' }, { parameters: { r: { value: 1, unit: 's' } } }),
    code: 'INVALID_INPUT',
    field: 'reaction.u',
  },
  {
    title: 'a reaction that is a relation',
    body: own({ u: 'u < 1' }),
    code: 'NON_SCALAR_RESULT',
    field: 'reaction.u',
  },
  {
    title: 'a reaction with brackets a thousand deep',
    body: own({ u: `${'('.repeat(900)}u${')'.repeat(900)}` }),
    code: 'INVALID_INPUT',
    field: 'reaction.u',
  },
  {
    title: 'two species with one diffusivity',
    body: own({ u: 'v', v: 'u' }),
    code: 'MISSING_INPUT',
    field: 'Du',
  },
  {
    title: 'a second species that is not there',
    body: own({ u: 'v' }),
    code: 'MISSING_INPUT',
    field: 'parameters.v',
  },
  {
    title: 'a number that no reaction names',
    body: own({ u: 'u' }, { parameters: { r: 1 } }),
    code: 'INVALID_INPUT',
    field: 'parameters.r',
  },
  {
    title: 'a reaction of Fisher’s',
    body: { ...fisher, reaction: { u: 'u' } },
    code: 'INVALID_INPUT',
    field: 'reaction',
  },
  {
    title: 'a gaussian on no state at rest',
    body: without(own({ u: 'u' }), 'rest'),
    code: 'MISSING_INPUT',
    field: 'rest.u',
  },
  {
    title: 'a front of a reaction of its own',
    body: own({ u: 'u' }, { initial: { type: 'front', x0: [4] } }),
    code: 'INVALID_INPUT',
    field: 'initial.type',
  },
  { title: 'a reaction faster than its step', body: own({ u: '-1000*u' }), code: 'STABILITY_LIMIT' },
  { title: 'a reaction without a value', body: own({ u: 'ln(u - 9)' }), code: 'NON_FINITE' },
  { title: 'no model', body: without(fisher, 'model'), code: 'MISSING_INPUT', field: 'model' },
  { title: 'no growth rate', body: without(fisher, 'r'), code: 'MISSING_INPUT', field: 'r' },
  { title: 'no diffusivity', body: without(grayScott, 'Dv'), code: 'MISSING_INPUT', field: 'Dv' },
  { title: 'a constant of another model', body: { ...fisher, F: 1 }, code: 'INVALID_INPUT', field: 'F' },
  { title: 'a diffusivity of zero', body: { ...fisher, D: 0 }, code: 'INVALID_INPUT', field: 'D' },
  {
    title: 'a threshold above one',
    body: { ...without(fisher, 'r'), model: 'nagumo', k: 1, a: 2 },
    code: 'INVALID_INPUT',
    field: 'a',
  },
  {
    title: 'no second length',
    body: without({ ...fisher, dim: 2 }, 'Ly'),
    code: 'MISSING_INPUT',
    field: 'Ly',
  },
  { title: 'no boundary', body: without(fisher, 'boundary'), code: 'MISSING_INPUT', field: 'boundary' },
  {
    title: 'one periodic side',
    body: { ...fisher, boundary: { left: 'periodic', right: 'noflux' } },
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  { title: 'no start', body: without(fisher, 'initial'), code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'two starts',
    body: { ...fisher, initialState: { u: arrays.u } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half a start',
    body: { ...without(grayScott, 'initial'), initialState: { u: arrays.u } },
    code: 'MISSING_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'a species too many',
    body: { ...without(fisher, 'initial'), initialState: arrays },
    code: 'INVALID_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'a start of another shape',
    body: { ...without(fisher, 'initial'), initialState: { u: [1, 2] } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'a front of Gray–Scott',
    body: { ...grayScott, initial: { type: 'front', x0: [0.5] } },
    code: 'INVALID_INPUT',
    field: 'initial.type',
  },
  {
    title: 'no amplitude in v',
    body: { ...grayScott, initial: { type: 'gaussian', x0: [0.5], w: 0.05, deltaU: -0.5 } },
    code: 'MISSING_INPUT',
    field: 'initial.deltaV',
  },
  {
    title: 'a centre in two dimensions',
    body: { ...fisher, initial: { type: 'gaussian', x0: [4, 4], w: 1, deltaU: 0.5 } },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'a second species of Fisher',
    body: { ...fisher, component: 'v' },
    code: 'INVALID_INPUT',
    field: 'component',
  },
  {
    title: 'an end before the start',
    body: { ...without(fisher, 'initial'), initialState: { u: arrays.u, t0: 2 } },
    code: 'INVALID_INPUT',
    field: 't_end',
  },
  {
    title: 'a front thinner than eight cells',
    body: { ...fisher, N: 32 },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'a step above the diffusion limit',
    body: { ...fisher, dt: 0.01 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  { title: 'a very long run', body: { ...fisher, t_end: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_end' },
  { title: 'a probe outside', body: { ...fisher, probe: [9] }, code: 'INVALID_INPUT', field: 'probe.0' },
  {
    title: 'a concentration below zero',
    body: { ...grayScott, initial: { type: 'gaussian', x0: [0.5], w: 0.05, deltaU: -2, deltaV: 0 } },
    code: 'NEGATIVE_CONCENTRATION',
  },
  {
    title: 'a speed where there is no front',
    body: { ...fisher, initial: { type: 'gaussian', x0: [4], w: 1, deltaU: 0.01 }, quantity: 'speed' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'a pulse that the grid does not resolve',
    body: {
      ...grayScott,
      initial: { type: 'gaussian', x0: [0.5], w: 0.032, deltaU: -0.5, deltaV: 0.25 },
      quantity: 'value',
      component: 'v',
    },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'a start that falls between the nodes of all three grids',
    body: { ...grayScott, initial: { type: 'gaussian', x0: [0.5], w: 0.001, deltaU: -0.9, deltaV: 0.25 } },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'a start that no number of cells resolves',
    body: { ...grayScott, initial: { type: 'gaussian', x0: [0.5], w: 1e-9, deltaU: -0.9, deltaV: 0.25 } },
    code: 'STABILITY_LIMIT',
    field: 'initial.w',
  },
  {
    title: 'a ring whose ends differ',
    body: {
      ...without(grayScott, 'initial'),
      initialState: { ...arrays, v: [...new Array(64).fill(0.2), 0.3] },
    },
    code: 'INVALID_INPUT',
    field: 'initialState.v',
  },
];

testRefusals('react', refused);
