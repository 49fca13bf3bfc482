import { parentPort, workerData } from 'node:worker_threads';
import { hmacKey } from '#crypto';
import { systemClock } from '../clock/clock.ts';
import { ledgerSchema } from '../ledger/records.ts';
import { concat } from '../proof/bytes.ts';
import { noteSigner } from '../proof/note.ts';
import { openStore } from '../store/open.ts';
import { lastSigned, NodeLog } from './node-log.ts';
import { FolderHead } from './published-head.ts';
import { spineSchema } from './schema.ts';
import { type Settled, Settlement } from './settlement.ts';
import type { PackedOutcome, SettledBatch, SettlingMessage, SettlingThreadData } from './settling-wire.ts';

// Entry of the settling thread: seals, charges and records what it is sent, and answers once that is durable.

const { dataDir, keys } = workerData as SettlingThreadData;
const port = parentPort!;
const opening = openStore({ dataDir }, [ledgerSchema, spineSchema]);
const settling = opening.then(async (store) => {
  const { name, signingSeed } = keys;
  const { now } = systemClock(await lastSigned(store, name));
  const log = new NodeLog(noteSigner(name, signingSeed), now, new FolderHead(dataDir, name));
  return new Settlement({ store, log, node: name, hmacKey: hmacKey(keys.hmacKey), now });
});

port.on('message', async (message: SettlingMessage) => {
  if (message === 'close') {
    await (await opening).close();
    port.close();
    return;
  }
  const settlement = await settling;
  const settled = await Promise.all(message.items.map((item) => settlement.settle(item)));
  const batch = packed(message.batch, settled);
  port.postMessage(batch, [batch.answers.buffer as ArrayBuffer]);
});

function packed(batch: number, settled: readonly Settled[]): SettledBatch {
  let end = 0;
  const answers: Uint8Array[] = [];
  const outcomes = settled.map((outcome): PackedOutcome => {
    if (outcome.kind === 'refused') return { kind: 'refused', refusal: outcome.refusal.toJSON().error };
    if (outcome.kind !== 'settled') return outcome;
    answers.push(outcome.answer);
    const from = end;
    end += outcome.answer.length;
    return { kind: 'settled', from, to: end };
  });
  return { batch, outcomes, answers: concat(answers) };
}
