import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { nearest } from '../../src/errors/nearest.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import { climate } from '../../src/solvers/climate.ts';
import { heat } from '../../src/solvers/heat.ts';
import {
  anyQuantity,
  blobsIn,
  choice,
  flags,
  inputFromFlags,
  integer,
  list,
  numbers,
  optional,
  points,
  publishedSchema,
  quantity,
  readInput,
  record,
  seed,
  vector,
} from '../../src/solvers/input.ts';
import { plainSentence } from '../plain-sentence.ts';

/** A schema with one field of every kind that solvers use. */
const schema = record({
  dt: quantity('s', 'Step.', { exclusiveMinimum: 0 }),
  N: optional(integer('Cells.', { minimum: 2, maximum: 4096 })),
  mode: optional(choice(['dock', 'cluster'], 'Task.')),
  note: optional(Type.String({ maxLength: 100 })),
  T: optional(quantity('K', 'Wall temperature.', { minimum: 0 })),
  k: optional(quantity('W/(m K) or 1', 'Conductivity.')),
  y0: optional(anyQuantity('Start.')),
  seed: optional(seed()),
  position: optional(points('m', 3, 'Positions.', { maxItems: 1000 })),
  mass: optional(numbers('kg', 'Masses.', { maxItems: 1000 })),
  probe: optional(vector('m', 'Point.', { minItems: 1, maxItems: 3 })),
  initial: optional(record({ A: quantity('m', 'Amplitude.'), m: optional(integer('Half waves.')) })),
  on: optional(
    Type.Union([
      Type.Literal('outer'),
      record({ patch: integer('Patch.'), side: choice(['bottom', 'right', 'top', 'left'], 'Side.') }),
      record({ node: integer('Node.') }),
    ]),
  ),
  supports: optional(
    list(record({ u: Type.Union([quantity('m', 'Value.'), numbers('m', 'Values.')]) }), 'Supports.'),
  ),
  inputs: optional(Type.Record(Type.String(), quantity('any', 'Input.'))),
});
const read = (body: unknown, blobs?: (digest: string) => Uint8Array | undefined) =>
  readInput(schema, body, blobs);
const input = (body: unknown) => read(body).input as Record<string, unknown>;

t.test('numbers with units arrive in the unit of the field, whole lists too', async (t) => {
  const sent = {
    dt: { value: 5, unit: 'ms' },
    T: { value: 25, unit: 'degC' },
    k: { value: 2, unit: 'W/(cm K)' },
    mass: { value: [1, 2], unit: 'g' },
    position: [[{ value: 1, unit: 'km' }, 2, 3]],
    probe: { value: [1, 2], unit: 'cm' },
    initial: { A: { value: 3, unit: 'in' } },
    supports: [{ u: { value: 1, unit: 'mm' } }, { u: { value: [1, 2], unit: 'mm' } }],
  };
  const kept = structuredClone(sent);
  t.same(input(sent), {
    dt: 0.005,
    T: 298.15,
    k: 200,
    mass: [0.001, 0.002],
    position: [[1000, 2, 3]],
    probe: [0.01, 0.02],
    initial: { A: 0.0762 },
    supports: [{ u: 0.001 }, { u: [0.001, 0.002] }],
  });
  t.same(sent, kept, 'the body is left as it is');
});

t.test('a field in any unit keeps number and unit', async (t) => {
  t.same(input({ dt: 1, y0: { value: 3, unit: 'mV' }, inputs: { a: 1, b: { value: 2, unit: 'km' } } }), {
    dt: 1,
    y0: { value: 3, unit: 'mV' },
    inputs: { a: 1, b: { value: 2, unit: 'km' } },
  });
});

t.test('a seed has one form, however it is sent', async (t) => {
  t.equal(input({ dt: 1, seed: '7' }).seed, 7);
  t.equal(input({ dt: 1, seed: '0000018446744073709' }).seed, 18446744073709);
  t.equal(input({ dt: 1, seed: '18446744073709551615' }).seed, '18446744073709551615');
});

t.test('a negative zero is zero, so that one request has one hash and one result', async (t) => {
  t.ok(Object.is((input({ dt: 1, probe: [-0] }).probe as number[])[0], 0));
});

t.test('a blob is resolved for the solver and stays a reference in the request', async (t) => {
  const digest = 'ab'.repeat(32);
  const reference = { $blob: `sha256:${digest}` };
  const bytes = new Uint8Array(new Float64Array([1, 2, 3, 4, 5, 6]).buffer);
  const body = { dt: 1, position: { value: reference, unit: 'km' }, mass: reference };
  const { input, request } = read(body, (name) => (name === digest ? bytes : undefined));
  t.same(input.position, [
    [1000, 2000, 3000],
    [4000, 5000, 6000],
  ]);
  t.same(input.mass, [1, 2, 3, 4, 5, 6]);
  t.same(request, { dt: 1, position: { value: reference, unit: 'km' }, mass: reference });
  t.same(blobsIn(body), [digest]);
  t.throws(() => read(body), { code: 'INVALID_INPUT', details: { field: 'position' } }, 'not there');
  const ragged = new Uint8Array(20);
  t.throws(() => read(body, () => ragged), { code: 'INVALID_INPUT' });
  const endless = new Uint8Array(new Float64Array(6).fill(Number.POSITIVE_INFINITY).buffer);
  t.throws(() => read(body, () => endless), { code: 'INVALID_INPUT', details: { field: 'position[0][0]' } });
  const large = new Uint8Array(8 * 1001);
  t.throws(() => read({ dt: 1, mass: reference }, () => large), {
    code: 'INVALID_INPUT',
    message: /1001 items/,
  });
});

t.test('a wrong number in a blob is refused where it stands', async (t) => {
  const reference = { $blob: `sha256:${'ab'.repeat(32)}` };
  const blob = (...numbers: number[]) => new Uint8Array(new Float64Array(numbers).buffer);
  const position = { dt: 1, position: reference };
  t.throws(() => read(position, () => blob(1, 2, 3, 4, Number.NaN, 6)), {
    code: 'INVALID_INPUT',
    details: { field: 'position[1][1]' },
  });
  const some = record({
    some: Type.Array(Type.Number({ unit: 'kg', minimum: 0 }), { unit: 'kg', blob: 'f64', minItems: 2 }),
  });
  const of = (...numbers: number[]) => readInput(some, { some: reference }, () => blob(...numbers));
  t.same(of(1, -0).input, { some: [1, 0] });
  t.throws(() => of(1, -1), {
    details: { field: 'some[1]' },
    message: /is -1; accepted: a number from 0 in kg/,
  });
  t.throws(() => of(1), { details: { field: 'some' }, message: /is a blob of 1 items/ });
  const endless = { length: 24 * (2 ** 18 + 1) } as Uint8Array;
  t.throws(() => readInput(record({ p: points('m', 3, 'P.') }), { p: reference }, () => endless), {
    message: /is a blob of 262145 items/,
  });
});

const refusals: [unknown, string, string, RegExp][] = [
  [{}, 'MISSING_INPUT', 'dt', /^dt is missing; accepted: a number above 0 in s\.$/],
  [{ dt: -5 }, 'INVALID_INPUT', 'dt', /^dt is -5; accepted: a number above 0 in s\.$/],
  [{ dt: 1, positon: [] }, 'INVALID_INPUT', 'positon', /nearest is position/],
  [{ dt: 1, mode: 'dok' }, 'INVALID_INPUT', 'mode', /near dock; accepted: one of dock, cluster/],
  [{ dt: 1, N: 1e9 }, 'INVALID_INPUT', 'N', /is 1000000000; accepted: a whole number from 2 to 4096/],
  [{ dt: 1, T: { value: -300, unit: 'degC' } }, 'INVALID_INPUT', 'T', /after conversion to K/],
  [{ dt: 1, k: { value: 1, unit: 's' } }, 'INVALID_INPUT', 'k.unit', /another dimension.*W\/\(m K\) or 1/],
  [{ dt: 1, on: { patch: 0, side: 'lift' } }, 'INVALID_INPUT', 'on.side', /near left/],
  [{ dt: 1, on: { patch: 0 } }, 'MISSING_INPUT', 'on.side', /one of bottom, right, top, left/],
  [{ dt: 1, supports: [{ u: 1 }, { u: 'x' }] }, 'INVALID_INPUT', 'supports[1].u', /a number in m, or a list/],
  [{ dt: 1, supports: [{ u: 1 }, {}] }, 'MISSING_INPUT', 'supports[1].u', /missing/],
  [
    {
      dt: 1,
      position: [
        [1, 2, 3],
        [1, 2],
      ],
    },
    'INVALID_INPUT',
    'position[1]',
    /a list of 3 items/,
  ],
  [{ dt: 1, mass: new Array(1001).fill(1) }, 'INVALID_INPUT', 'mass', /is a list of 1001 items/],
  [{ dt: 1, seed: 2 ** 60 }, 'INVALID_INPUT', 'seed', /decimal string/],
  [{ dt: null }, 'INVALID_INPUT', 'dt', /null/],
  [{ dt: '5 ms' }, 'INVALID_INPUT', 'dt', /such as \{"value":5,"unit":"ms"\} without quotation marks/],
  [{ dt: '5' }, 'INVALID_INPUT', 'dt', /such as 5 without quotation marks/],
  [{ dt: '5 kg' }, 'INVALID_INPUT', 'dt', /^dt is "5 kg"; accepted: a number above 0 in s\.$/],
  [{ dt: '-5 s' }, 'INVALID_INPUT', 'dt', /^dt is "-5 s"; accepted: a number above 0 in s\.$/],
  [{ dt: 1, N: '64' }, 'INVALID_INPUT', 'N', /such as 64 without/],
];

t.test('a refusal names the field, what is wrong and what is accepted', async (t) => {
  for (const [body, code, field, message] of refusals) {
    t.throws(() => read(body), { name: 'Refusal', code, message, details: { field } }, field);
  }
});

t.test('a wrong word between alternatives is refused with the words of all of them', async (t) => {
  const rod = { dim: 1, Lx: 1, alpha: 1, steady: true };
  const cases: [unknown, string, RegExp][] = [
    [
      { ...rod, boundary: {} },
      'boundary.type',
      /type is missing; accepted: one of dirichlet, flux, robin, periodic\.$/,
    ],
    [
      { ...rod, boundary: 'dirichlet' },
      'boundary',
      /accepted: periodic, or an object with type dirichlet, T, or an object with type flux, q, or/,
    ],
    [{ ...rod, dim: 3, boundary: 'periodic' }, 'dim', /^dim is 3; accepted: 1, or 2\.$/],
  ];
  for (const [body, field, message] of cases)
    t.throws(() => readInput(heat.input, body), { message, details: { field } }, field);
});

t.test('of two names that are as near the one that begins alike is meant', async (t) => {
  for (const [word, meant, ...others] of [
    ['Lyx', 'Ly', 'Lx'],
    ['Gx', 'G', 'Lx'],
    ['Nx', 'N', 'nu'],
  ] as const) {
    t.equal(nearest(word, [...others, meant]), meant);
    t.equal(nearest(word, [meant, ...others]), meant);
  }
});

t.test('a missing field carries the inputError of compute (CMP-04)', async (t) => {
  t.throws(() => read({}), {
    code: 'MISSING_INPUT',
    details: { inputError: { code: 'MISSING_INPUT', missing: 'dt' } },
  });
});

// ---- hostile bodies ------------------------------------------------------------------------------------

interface Hostile {
  readonly title: string;
  readonly body?: unknown;
  readonly json?: string;
  readonly made?: string;
}

const made: Record<string, () => unknown> = {
  'long-name': () => ({ dt: 1, ['x'.repeat(1e5)]: 1 }),
  deep: () => ({ dt: 1, position: JSON.parse(`${'['.repeat(1e4)}${']'.repeat(1e4)}`) }),
  many: () => ({ dt: 1, mass: new Array(1e6).fill(1) }),
  inputs: () => ({ dt: 1, inputs: Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`x${i}`, 1])) }),
};
const corpus = JSON.parse(
  readFileSync(new URL('../../../test/solvers/hostile-inputs.json', import.meta.url), 'utf8'),
) as Hostile[];
const bodyOf = ({ body, json, made: how }: Hostile) =>
  how ? made[how]!() : json === undefined ? body : JSON.parse(json);

t.test('every hostile body is refused, in one clean line', async (t) => {
  for (const hostile of corpus) {
    try {
      read(bodyOf(hostile));
      t.fail(hostile.title);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      t.match(error.code, /^(INVALID|MISSING)_INPUT$/, hostile.title);
      t.match(error.message, plainSentence, hostile.title);
      t.ok(error.message.length <= 700, hostile.title);
    }
  }
  t.equal(({} as { polluted?: boolean }).polluted, undefined);
});

t.test('a point on a scale is no difference of temperatures, and a difference no temperature', (t) => {
  const warm = record({
    T: optional(quantity('K', 'A temperature.', { minimum: 0 })),
    A: optional(quantity('K', 'An amplitude.', { temperature: 'difference' })),
    Td: optional(quantity('K', 'One or the other.', { temperature: 'either' })),
    at: optional(numbers('K', 'Temperatures.')),
  });
  const of = (name: string, value: unknown, unit: string) =>
    readInput(warm, { [name]: { value, unit } }).input;
  t.same(of('T', 20, 'degC'), { T: 293.15 });
  t.same(of('A', 20, 'delta_degC'), { A: 20 });
  t.same(of('A', 9, 'delta_degF'), { A: 5 });
  t.same(of('Td', 20, 'K'), { Td: 20 });
  t.same(of('at', [20, 30], 'degC'), { at: [293.15, 303.15] });
  for (const [name, value, unit, accepted] of [
    ['A', 20, 'degC', /delta_degC/],
    ['A', 68, 'degF', /delta_degC/],
    ['T', 20, 'delta_degC', /K, degC or degF/],
    ['Td', 20, 'degC', /a temperature or a difference/],
    ['Td', 20, 'delta_degF', /a temperature or a difference/],
    ['at', [20, 30], 'delta_degC', /K, degC or degF/],
  ] as const)
    t.throws(() => of(name, value, unit), {
      code: 'INVALID_INPUT',
      message: accepted,
      details: { field: `${name}.unit` },
    });
  t.end();
});

t.test('no solver takes an amplitude or an anomaly as a point on a scale', (t) => {
  const sent = { value: 15, unit: 'degC' };
  const rod = { dim: 1, alpha: 1e-4, Lx: 1, boundary: { type: 'dirichlet', T: 300 }, t_end: 100 };
  t.throws(() => readInput(heat.input, { ...rod, initial: { type: 'mode', A: sent, m: 1 } }), {
    code: 'INVALID_INPUT',
    message: /difference/,
  });
  for (const name of ['T', 'Td'])
    t.throws(() => readInput(climate.input, { model: 'two-layer', initialState: { [name]: sent } }), {
      code: 'INVALID_INPUT',
      message: /difference/,
    });
  t.end();
});

const likely = fc.oneof(
  fc.anything({
    maxDepth: 4,
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSparseArray: true,
  }),
  fc.constantFrom(...corpus.filter(({ made: how }) => !how).map(bodyOf)),
  fc.record({
    value: fc.oneof(fc.double(), fc.array(fc.double()), fc.string()),
    unit: fc.oneof(fc.constantFrom('s', 'm', 'K', 'degC', 'g', 'W/(m*K)'), fc.string()),
  }),
  fc.double(),
  fc.array(fc.array(fc.double(), { minLength: 3, maxLength: 3 }), { maxLength: 4 }),
  fc.constantFrom('dock', 'outer', { node: 1 }, { patch: 1, side: 'top' }, { A: 1 }, '123', [{ u: 1 }]),
);
const bodies = fc.record(
  {
    dt: fc.oneof(fc.constant(1), likely),
    ...Object.fromEntries(
      Object.keys(schema.properties)
        .slice(1)
        .map((name) => [name, likely]),
    ),
  },
  { requiredKeys: ['dt'] },
);

t.test('no body makes the reader fail otherwise than by a Refusal', async () => {
  fc.assert(
    fc.property(fc.oneof(likely, bodies), (body) => {
      try {
        const { input, request } = read(body);
        // What was read reads again, to the same.
        return JSON.stringify(read(request).request) === JSON.stringify(request) && input !== body;
      } catch (error) {
        return error instanceof Refusal && plainSentence.test(error.message);
      }
    }),
    { numRuns: 3000 },
  );
});

t.test('bodies of plain numbers pass here exactly when the schema itself takes them', async () => {
  const plain = record({
    dt: schema.properties.dt,
    N: schema.properties.N,
    mode: schema.properties.mode,
    position: schema.properties.position,
    probe: schema.properties.probe,
    on: schema.properties.on,
  });
  const validator = Compile(plain);
  const value = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom('dock', 'outer', 'x', true, null),
    fc.array(fc.integer(), { maxLength: 4 }),
    fc.array(fc.array(fc.integer(), { maxLength: 4 }), { maxLength: 3 }),
    fc.record(
      { node: fc.integer(), patch: fc.integer(), side: fc.constantFrom('top', 'x') },
      { requiredKeys: [] },
    ),
  );
  const fitting = {
    dt: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
    N: fc.integer({ min: 2, max: 4096 }),
    mode: fc.constant('dock'),
    position: fc.constant([[1, 2, 3]]),
    probe: fc.constant([1]),
    on: fc.constantFrom('outer', { node: 1 }),
  };
  const shape = Object.fromEntries(
    Object.entries(fitting).map(([name, fit]) => [
      name,
      fc.oneof({ weight: 3, arbitrary: fit as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: value }),
    ]),
  );
  fc.assert(
    fc.property(fc.record(shape, { requiredKeys: [] }), (body) => {
      let taken = true;
      try {
        readInput(plain, body);
      } catch {
        taken = false;
      }
      return taken === validator.Check(body);
    }),
    { numRuns: 2000 },
  );
});

// ---- flags and the published schema --------------------------------------------------------------------

t.test('flags are made from the schema and read back into a body', async (t) => {
  const byName = new Map(flags(schema).map((flag) => [flag.name, flag]));
  t.match(byName.get('dt'), {
    type: 'number',
    unit: 's',
    required: true,
    meaning: /Step/,
    accepted: /above 0 in s/,
  });
  t.match(byName.get('mode'), { type: 'choice', words: ['dock', 'cluster'], required: false });
  t.match(byName.get('initial.A'), { type: 'number', unit: 'm', required: false });
  t.match(byName.get('inputs.<name>'), { open: true });
  const body = inputFromFlags(schema, {
    dt: '5ms',
    N: '64',
    mode: 'dock',
    T: '25 degC',
    seed: '18446744073709551615',
    probe: '1,2',
    position: '[[1,2,3]]',
    'initial.A': '1e-2 km',
    on: '{"node":3}',
    y0: '2.5e1mV',
    'inputs.P': '10W',
  });
  t.same(input(body), {
    dt: 0.005,
    N: 64,
    mode: 'dock',
    T: 298.15,
    y0: { value: 25, unit: 'mV' },
    seed: '18446744073709551615',
    position: [[1, 2, 3]],
    probe: [1, 2],
    initial: { A: 10 },
    on: { node: 3 },
    inputs: { P: { value: 10, unit: 'W' } },
  });
});

t.test('flags that are wrong are refused by name', async (t) => {
  t.throws(() => inputFromFlags(schema, { ddt: '5' }), { code: 'INVALID_INPUT', message: /nearest is --dt/ });
  t.throws(() => inputFromFlags(schema, { position: '[[1,2' }), {
    code: 'INVALID_INPUT',
    details: { field: 'position' },
  });
  t.throws(() => read(inputFromFlags(schema, { dt: 'soon' })), {
    code: 'INVALID_INPUT',
    details: { field: 'dt' },
  });
  t.throws(() => read(inputFromFlags(schema, { dt: '1', '__proto__.x': '1' })), { code: 'INVALID_INPUT' });
});

t.test('the published schema is plain JSON Schema that takes both forms of a number', async (t) => {
  const published = publishedSchema(schema);
  t.notMatch(JSON.stringify(published), /"(?:unit|blob|decimal)":(?!\{)/, 'no keyword of our own');
  const check = Compile(published as never);
  for (const dt of [5, { value: 5, unit: 'ms' }]) t.ok(check.Check({ dt }));
  t.ok(
    check.Check({
      dt: 1,
      seed: '123',
      mass: { $blob: `sha256:${'0'.repeat(64)}` },
      probe: { value: [1, 2], unit: 'cm' },
    }),
  );
  for (const body of [{ dt: 'x' }, { dt: -1 }, { dt: 1, mystery: 1 }, { dt: { value: 5 } }])
    t.notOk(check.Check(body));
  const { dt } = published.properties as Record<string, Record<string, unknown>>;
  t.match(dt, { description: 'Step. Unit: s.', 'x-unit': 's' });
});
