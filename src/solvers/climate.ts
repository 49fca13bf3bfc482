import { Type } from 'typebox';
import * as balance from './climate/balance.ts';
import { climateExamples } from './climate/examples.ts';
import * as latitude from './climate/latitude.ts';
import { outputs } from './climate/outputs.ts';
import { presentBalance, presentLatitude } from './climate/present.ts';
import {
  type ClimateInput,
  checkFields,
  checkGoesOn,
  models,
  quantities,
  quantityOf,
} from './climate/problem.ts';
import { beginningOf, FROM_ITS_START, jobToContinue, overStretches } from './continuation.ts';
import { choice, integer, numbers, optional, quantity, ratio, record, usedWith } from './input.ts';
import { longSteps } from './long-steps.ts';
import type { Assumption, GateDeclaration, Solver } from './solver.ts';

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));
const number = (unit: string, description: string) => optional(quantity(unit, description));
const share = (description: string) => optional(ratio(description, { minimum: 0, maximum: 1 }));

const schema = record({
  model: choice(models, 'What is balanced.'),
  ...usedWith(
    { model: ['zero-d', 'grey', 'ebm'] },
    {
      S0: positive('W/m^2', 'Solar constant.'),
    },
  ),
  ...usedWith(
    { model: ['zero-d', 'grey'] },
    {
      albedo: share('Albedo.'),
    },
  ),
  ...usedWith(
    { model: ['zero-d'] },
    {
      emissivity: share('Emissivity.'),
    },
  ),
  ...usedWith(
    { model: ['zero-d', 'two-layer'] },
    {
      C: positive('J/(m^2 K)', 'Heat capacity; of zero-d unless steady.'),
    },
  ),
  ...usedWith(
    { model: ['zero-d'] },
    {
      T0: positive('K', 'Temperature at the start, unless steady.'),
    },
  ),
  ...usedWith(
    { model: ['grey'] },
    {
      n: optional(integer('Layers, each black in the infrared; or tau.', { minimum: 0, maximum: 4096 })),
      tau: optional(ratio('Infrared optical depth (Eddington); or n.', { minimum: 0 })),
    },
  ),
  ...usedWith(
    { model: ['forcing'] },
    {
      co2: positive('ppm', 'Concentration.'),
      co2Ref: positive('ppm', 'Concentration without forcing.'),
    },
  ),
  ...usedWith(
    { model: ['two-layer', 'forcing'] },
    {
      lambda: positive('W/(m^2 K)', 'Feedback; of forcing for temperature alone.'),
    },
  ),
  ...usedWith(
    { model: ['two-layer'] },
    {
      F: number('W/m^2', 'Forcing from the start on.'),
      gamma: positive('W/(m^2 K)', 'Heat uptake of the deep layer.'),
      Cd: positive('J/(m^2 K)', 'Heat capacity of the deep layer.'),
    },
  ),
  ...usedWith(
    { model: ['ebm'] },
    {
      A: number('W/m^2', 'Outgoing radiation at 0 °C.'),
      B: positive('W/(m^2 K)', 'Its slope.'),
      D: positive('W/(m^2 K)', 'Transport.'),
      s2: number('1', 'Insolation 1 + s2 P2.'),
      a0: number('1', 'Albedo a0 + a2 P2 without ice.'),
      a2: number('1', 'Its part with P2.'),
      ai: share('Albedo of ice, with Tf; absent: no ice.'),
      Tf: number('K', 'Ice where it is colder; with ai.'),
      start: optional(
        choice(
          ['warm', 'cold'],
          'Which stable state, with ice: warm, the smallest cap of ice (else none); cold, the most ice.',
        ),
      ),
    },
  ),
  ...usedWith(
    { model: ['zero-d', 'two-layer'] },
    {
      t_end: positive('s', 'Length of the series, counted from the start.'),
      steady: optional(Type.Literal(true, { description: 'The steady state, instead of t_end.' })),
    },
  ),
  quantity: optional(
    choice(quantities, 'What the value is; absent: temperature, of ebm meanTemperature, of forcing forcing.'),
  ),
  ...usedWith(
    { model: ['ebm'] },
    {
      probe: optional(
        Type.Array(Type.Number({ unit: '1', minimum: -1, maximum: 1 }), {
          unit: '1',
          minItems: 1,
          maxItems: 1,
          description: 'Where temperature is taken, [x], x = sin(latitude).',
        }),
      ),
      N: optional(
        integer('Cells in x, made a multiple of 8; absent: 400.', { minimum: 400, maximum: 16384 }),
      ),
    },
  ),
  ...usedWith(
    { model: ['zero-d', 'two-layer'] },
    {
      dt: positive('s', 'Largest step; absent: a sixteenth of the fastest time.'),
    },
  ),
  ...usedWith(
    { model: ['zero-d', 'two-layer', 'ebm'] },
    {
      initialState: optional(
        record(
          {
            T: optional(
              Type.Union(
                [
                  quantity('K', 'Temperature (two-layer: anomaly).', { temperature: 'either' }),
                  numbers('K', 'Of the N cells of ebm, from pole to pole.', { minItems: 1, maxItems: 16384 }),
                ],
                { description: 'Temperature; two-layer: anomaly; ebm: also one of each cell.' },
              ),
            ),
            Td: optional(quantity('K', 'Anomaly of the deep layer.', { temperature: 'difference' })),
            t0: number('s', 'Time of the start.'),
            continue: jobToContinue('t_end', FROM_ITS_START),
          },
          { description: 'The start, instead of T0, of no anomaly, or of the name of a state.' },
        ),
      ),
    },
  ),
});

/** In the order of the indices of both verdicts. */
const gates: readonly GateDeclaration[] = [
  { name: 'temperature', quantity: 'T', source: 'closed form of the model; ebm: Legendre polynomials' },
  { name: 'deep temperature', quantity: 'T_d', source: 'two exponentials; steady: F/λ' },
  { name: 'series', quantity: 'T or T_d of the worst row', source: 'closed form of the model' },
  {
    name: 'profile',
    quantity: 'T of the worst level or cell (ebm: over the range of T)',
    source: 'closed form of the model; ebm: Legendre polynomials',
  },
  { name: 'balance', quantity: 'εσT⁴', source: 'S₀(1 − α)/4' },
  { name: 'forcing', quantity: '5.35 ln(C/C₀)', source: 'a logarithm by roots and a series' },
  {
    name: 'mean temperature',
    quantity: '⟨T⟩ over the range of T',
    source: 'Legendre polynomials (North 1975)',
  },
  {
    name: 'ice latitude',
    quantity: 'latitude of the edge',
    source: 'the place where 2048 Legendre polynomials give T_f',
  },
  { name: 'meshes', quantity: 'the value', source: 'N, N/2 and N/4 cells (Richardson)' },
  { name: 'global balance', quantity: 'A + B⟨T⟩', source: 'absorbed sunlight, integrated exactly' },
  {
    name: 'stability',
    quantity: 'growing disturbances of the edge',
    source: 'sign of the largest eigenvalue: κG < 1 (Cahalan & North 1979)',
  },
];

function assumed(input: ClimateInput): readonly Assumption[] {
  const choices: Assumption[] = [];
  const add = (name: string, value: unknown, because: string, unit?: string) =>
    choices.push({ name, value, because, ...(unit ? { unit } : {}) });
  if (input.quantity === undefined)
    add('quantity', quantityOf(input), 'the value of this model if none is named');
  if (input.model === 'ebm') {
    const { cells, ice } = latitude.readLatitude(input);
    if (input.N === undefined) add('N', 2 * cells, 'numerical choice');
    if (!ice) add('ai', null, 'no ice: not in the equation');
    add('hemispheres', 'alike', 'both have one climate');
    return choices;
  }
  if (input.model === 'forcing') add('coefficient', 5.35, 'Myhre et al. 1998', 'W/m^2');
  if (input.model === 'zero-d' || input.model === 'grey')
    add('sigma', 5.670374419e-8, 'CODATA 2022', 'W/(m^2 K^4)');
  const { stepsPerRow } = balance.readBalance(input);
  if (input.t_end === undefined) return choices;
  if (input.dt === undefined)
    add(
      'dt',
      (input.t_end - beginningOf(input)) / (256 * stepsPerRow),
      'numerical choice: 16 steps in the fastest time',
      's',
    );
  if (input.initialState?.t0 === undefined) add('t0', 0, 'origin of time', 's');
  if (input.model === 'two-layer' && input.initialState === undefined)
    add('initialState', { T: 0, Td: 0 }, 'no anomaly at the start', 'K');
  return choices;
}

function refusalDetails(input: ClimateInput, status: number): Record<string, unknown> {
  if (status === 24)
    return {
      field: 'Tf',
      message: 'The ice is no cap: it is not colder than Tf poleward of one latitude only.',
      accepts: 'insolation and albedo that leave the poles colder than the equator',
    };
  if (status === 20)
    return {
      field: 'A',
      message: 'A + BT leaves some latitude colder than 0 K.',
      accepts: 'A and B for the temperatures that S0 gives',
    };
  if (input.dt !== undefined) return longSteps(input.dt, balance.readBalance(input).usualStep);
  return {};
}

const sectionOf = ({ model }: ClimateInput) => (model === 'ebm' ? latitude : balance);

/** What is computed by either kernel. @throws Refusal for what the schema cannot say */
function checked(input: ClimateInput): ClimateInput {
  checkFields(input);
  return input;
}

/**
 * Energy balances of a planet. In: W/m², K, J/(m² K), s; concentrations in ppm. Out: a temperature or an anomaly in K, a
 * forcing in W/m², or the latitude of the ice in degrees.
 */
export const climate: Solver<ClimateInput> = {
  id: 'climate',
  title: 'Climate by energy balance',
  summary:
    'Five energy balances of a planet: one temperature, grey layers, CO₂ forcing, two layers in time, and temperature over latitude with ice and its stable states; each is held against its closed form or its Legendre series.',
  equation: String.raw`C\dot T=\tfrac{S_0}{4}(1-\alpha)-\epsilon\sigma T^4,\quad D\,\tfrac{d}{dx}\big[(1-x^2)\tfrac{dT}{dx}\big]-(A+BT)+\tfrac{S_0}{4}s(x)\,c(x,x_s)=0`,
  references: [
    'North, J. Atmos. Sci. 32 (1975) 2033 (latitude, Legendre series)',
    'Cahalan & North, J. Atmos. Sci. 36 (1979) 1178 (stability of the edge of the ice)',
    'Geoffroy et al., J. Climate 26 (2013) 1841, eq. 1–2 (two layers)',
    'Myhre, Highwood, Shine & Stordal, Geophys. Res. Lett. 25 (1998) 2715 (forcing)',
    'Hartmann, Global Physical Climatology, 2.3 and 3.8 (zero-d, grey)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: (input) =>
    ({ forcing: 'W/m^2', iceLatitude: 'deg', temperature: 'K', meanTemperature: 'K' })[quantityOf(input)],
  assumed,
  quote: (input) =>
    checked(input).model === 'ebm' ? latitude.quoteLatitude(input) : balance.quoteBalance(input),
  plan: (input) => sectionOf(checked(input)).firstRound(input),
  next: (input, finished) => sectionOf(input).nextRound(input, finished),
  present: (input, verdict, finished) =>
    input.model === 'ebm'
      ? presentLatitude(input, verdict, finished.length - 1)
      : presentBalance(input, verdict, finished.length - 1),
  refusalDetails,
  continuation: overStretches({
    kernels: ['climate'],
    end: 't_end',
    start: ['T0'],
    bodies(first) {
      checkGoesOn(first);
      return [balance.KEPT_BYTES];
    },
  }),
  examples: climateExamples,
};
