import t from 'tap';
import { hmacKey } from '#crypto';
import { textOf, toHex } from '../../src/proof/bytes.ts';
import {
  type Envelope,
  envelopeBytes,
  proofPreimage,
  sealEnvelope,
  verifyProof,
} from '../../src/proof/envelope.ts';
import { continuum, derivedReceipt, makeReceipt, tickReceipt } from '../../src/proof/receipt.ts';
import { exampleHmacKey, exampleRuns, exampleSeed, sealedFields } from './example-job.ts';

const key = hmacKey(exampleHmacKey);
const fields = { ...sealedFields(exampleRuns()), shownHash: '5f'.repeat(32) };
const { envelope, leaf } = sealEnvelope(fields, key);

t.test('an envelope has exactly the keys of the protocol, ENV-01, ENV-11, ENV-13', async (t) => {
  const keys =
    'generation node operators solver requestHash jobRoot shownHash value valueBits unit masterSum R phase tick t_ns ' +
    'precisionBound precisionActual gateKinds engine_version work price_plancks from_bond_plancks from_fuel_plancks ' +
    'token_id proof';
  t.same(new Set(Object.keys(envelope)), new Set(keys.split(' ')));
  t.equal(envelope.operators[0], 'KO42');
  t.match(envelope, { value: 1540, valueBits: '4098100000000000', precisionBound: 0.001, generation: 'v3' });
  t.equal(JSON.parse(textOf(leaf)).proof, envelope.proof);
});

t.test('a sealed −0 is +0, and what is not finite is refused, HON-03', async (t) => {
  const zero = sealEnvelope({ ...fields, value: -0 }, key).envelope;
  t.ok(Object.is(zero.value, 0));
  t.equal(zero.valueBits, '0000000000000000');
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE]) {
    const tNs = fields.tNs; // here the modulation is above 1, so that R of the largest double is infinite
    t.throws(() => sealEnvelope({ ...fields, value, tNs }, key), { code: 'NON_FINITE' }, String(value));
  }
});

t.test('nothing is sealed above the bound, HON-19', async (t) => {
  t.throws(() => sealEnvelope({ ...fields, precisionActual: 1.1e-3 }, key), { code: 'OUTSIDE_TOLERANCE' });
  t.throws(() => sealEnvelope({ ...fields, precisionActual: Number.NaN }, key), {
    code: 'OUTSIDE_TOLERANCE',
  });
  t.doesNotThrow(() => sealEnvelope({ ...fields, precisionActual: 1e-3 }, key));
});

t.test('an envelope is at most 2 KB, KO42 first, four operators', async (t) => {
  t.throws(() => sealEnvelope({ ...fields, unit: 'x'.repeat(2048) }, key), RangeError);
  t.throws(() => sealEnvelope({ ...fields, operators: ['SP7', 'KO42'] }, key), RangeError);
  t.throws(() => sealEnvelope({ ...fields, operators: ['KO42', 'a', 'b', 'c', 'd'] }, key), RangeError);
});

const preimages: [generation: Envelope['generation'], covered: string[], free: string[]][] = [
  [
    'v3',
    ['operators', 'valueBits', 'tick', 'engine_version', 'precisionBound', 'precisionActual', 'jobRoot'],
    ['unit', 'solver'],
  ],
  ['v1', ['operators', 'valueBits', 'tick'], ['engine_version', 'jobRoot', 'unit']],
];

for (const [generation, covered, free] of preimages) {
  t.test(`the HMAC of ${generation} covers its fields and no others, ENV-02, ENV-09`, async (t) => {
    const unproven = { ...envelope, generation };
    const own = { ...unproven, proof: toHex(key.mac(proofPreimage(unproven)!)) };
    t.match(verifyProof(own, key), { sound: true, generation });
    t.match(verifyProof(own, hmacKey(exampleSeed)), { sound: false, generation }, 'another key');
    for (const name of covered) t.notOk(verifyProof({ ...own, [name]: changed(own, name) }, key).sound, name);
    for (const name of free) t.ok(verifyProof({ ...own, [name]: 'changed' }, key).sound, name);
  });
}

function changed(own: Envelope, name: string): unknown {
  const value = own[name as keyof Envelope];
  if (typeof value === 'number') return value + 1;
  return Array.isArray(value) ? [...value, 'SP7'] : `${value}0`;
}

t.test('pre_genesis is sound, not broken, ENV-10', async (t) => {
  const old: Envelope = { ...envelope, generation: 'pre_genesis', proof: null };
  t.match(verifyProof(old, key), { sound: true, generation: 'pre_genesis', detail: /without an HMAC/ });
  t.notOk(verifyProof({ ...old, proof: envelope.proof }, key).sound);
  t.match(derivedReceipt(old).hmac, { algorithm: null, verified: false, generation: 'pre_genesis' });
});

t.test('a proof of another length or letter case is refused, not thrown', async (t) => {
  for (const proof of [null, '', 'zz', envelope.proof!.toUpperCase(), envelope.proof!.slice(2)]) {
    t.notOk(verifyProof({ ...envelope, proof }, key).sound, String(proof));
  }
});

t.test(
  'a unit names a continuum field only where it can mean nothing else, ENV-04, ENV-05, ENV-06',
  async (t) => {
    const table: [unit: string | null, field: string | undefined][] = [
      ['Pa', 'pressure'],
      ['m/s', 'velocity'],
      ['V', 'potential'],
      ['T', 'magneticB'],
      ['kg·m/s', 'momentum'],
      ['kg*m/s', 'momentum'],
      ['K', 'temperature'],
      ['J', undefined],
      ['m', undefined],
      ['constructor', undefined],
      [null, undefined],
    ];
    for (const [unit, field] of table) t.same(continuum(2, unit), field ? { [field]: 2 } : {}, String(unit));
  },
);

t.test(
  'a receipt carries pulse, tick, HMAC and average; scalar results have no diagnostics, ENV-03, ENV-08',
  async (t) => {
    const receipt = makeReceipt(envelope, { index: 0, path: [], checkpoint: '' });
    t.match(receipt, {
      pulse: 1.287,
      tick_period_ns: 777000777,
      hmac: { algorithm: 'HMAC-SHA256', generation: 'v3', verified: true },
      tick_averaged: { value: 1540, unit: 'K', check: { sineSum: 0, mean: 1540 } },
      continuum: { temperature: 1540 },
      masterEquation: null,
      functionalEquation: null,
      spectralPropagator: null,
    });
    t.match(tickReceipt(envelope), { tick: envelope.tick, t_ns: envelope.t_ns, R: envelope.R }, 'CMP-06');
  },
);

t.test('the envelope of an answer is its leaf, byte for byte', async (t) => {
  t.same(envelopeBytes(JSON.parse(textOf(leaf))), leaf);
});
