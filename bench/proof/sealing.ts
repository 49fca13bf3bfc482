import { hmacKey } from '#crypto';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import { checkpointText } from '../../src/proof/checkpoint.ts';
import { PRECISION_BOUND, proofPreimage, sealEnvelope } from '../../src/proof/envelope.ts';
import { appendLeaves, emptyLog, type LogState } from '../../src/proof/log-tree.ts';
import { leafHash } from '../../src/proof/merkle.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { median } from '../timing.ts';

// What a seal costs a result, without store and transport: envelope with its HMAC, log leaf with its inclusion
// proof, and its share of one signed checkpoint.

const key = hmacKey(new Uint8Array(32).fill(7));
const signer = noteSigner('bench-node', new Uint8Array(32).fill(9));
const digest = '5f'.repeat(32);
const fields = {
  node: 'bench-node',
  operators: ['KO42', 'SP7'],
  solver: 'compute',
  requestHash: digest,
  jobRoot: digest,
  shownHash: digest,
  value: 20.000_000_000_1,
  unit: 'dB',
  tNs: 1_700_000_000_259_000_259n,
  precisionBound: PRECISION_BOUND,
  precisionActual: 1.1e-16,
  gateKinds: ['estimate'],
  engineVersion: '0.1.0',
  work: 1000n,
  pricePlancks: 1000n,
  fromBondPlancks: 0n,
  fromFuelPlancks: 1000n,
  tokenId: 'b2e1c9c4-0000-4000-8000-000000000000',
};
const sealed = sealEnvelope(fields, key);
const preimage = proofPreimage(sealed.envelope)!;

/** µs of processor time per call, the median of rounds: other work on the machine does not count. */
function microseconds(calls: number, work: (i: number) => unknown): number {
  const rounds: number[] = [];
  for (let round = 0; round < 10; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) work(i);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rounds.push((user + system) / calls);
  }
  return median(rounds);
}

/** A batch of `size` leaves: appended, proven each, and signed once. Per result. */
function batch(calls: number, size: number): number {
  let state: LogState = emptyLog;
  const perBatch = microseconds(Math.max(1, Math.floor(calls / size)), () => {
    const leaves = Array.from({ length: size }, () => leafHash(sealed.leaf));
    const appended = appendLeaves(state, leaves);
    for (let i = 0; i < size; i++) appended.inclusionProof(state.size + i);
    checkpointText(signer, appended.state.size, appended.root);
    state = appended.state;
  });
  return perBatch / size;
}

async function run(): Promise<Row[]> {
  const calls = quick ? 50 : 5000;
  const row = (figure: string, value: number): Row => ({
    figure: `seal: ${figure}`,
    value,
    unit: 'µs/result',
  });
  const envelope = microseconds(calls, (i) => sealEnvelope({ ...fields, tNs: fields.tNs + BigInt(i) }, key));
  const single = batch(calls, 1);
  const many = batch(calls, 64);
  return [
    row(
      'canonical JSON of the envelope',
      microseconds(calls, () => canonicalBytes(sealed.envelope)),
    ),
    row(
      'HMAC of the proof',
      microseconds(calls, () => key.mac(preimage)),
    ),
    row('envelope with proof and leaf', envelope),
    row('log and checkpoint, batches of 1', single),
    row('log and checkpoint, batches of 64', many),
    row(
      'Ed25519 signature of a checkpoint',
      microseconds(calls, () => checkpointText(signer, 1, leafHash(sealed.leaf))),
    ),
    row('all, batches of 1', envelope + single),
    row('all, batches of 64', envelope + many),
  ];
}

export const figure: Figure = { title: 'proof: sealing, per result → µs, batches of 1 and of 64', run };
