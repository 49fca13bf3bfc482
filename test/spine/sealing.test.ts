import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { hmacKey } from '#crypto';
import { Accounts } from '../../src/accounts/accounts.ts';
import { systemClock } from '../../src/clock/clock.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import { schemas } from '../../src/node/node-store.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { Spine } from '../../src/spine/pipeline.ts';
import { WritableStore } from '../../src/spine/writable-store.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { answerOf, hour, oscillator } from './test-node.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-seal-'));
const store = await openStore({ dataDir }, schemas);
const { now } = systemClock();
const catalogue = new KernelCatalogue();
const executor = new ThreadPool({ threads: 2, catalogue });
t.teardown(async () => {
  await executor.close();
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const node = 'sealing.example';
const key = hmacKey(new Uint8Array(32).fill(3));
const log = () => new NodeLog(noteSigner(node, new Uint8Array(32).fill(5)), now);
const limits = { memory: 2 ** 30, jobs: 100, refusedPlancks: hour };

function spineWith(parts: { hmacKey?: typeof key; store?: Store }): Spine {
  const written = new WritableStore(parts.store ?? store);
  const seal = parts.hmacKey ?? key;
  return new Spine({ store: written, hmacKey: seal, executor, catalogue, log: log(), node, now, limits });
}

const accounts = new Accounts(store, now);

async function runOne(spine: Spine, zid: string, background = false) {
  const job = await spine.submit({ account: zid, solver: 'solve', body: oscillator, background });
  const { answer, sealed } = await job.outcome;
  return { sealed, answer: answerOf(answer), state: job.state };
}

t.test(
  'when sealing fails the value goes back without a receipt and without a charge (CMP-11)',
  async (t) => {
    const { zid } = await accounts.create({ fuel: hour });
    const broken = {
      mac: () => {
        throw new Error('the HMAC key cannot be read');
      },
    };
    for (const background of [false, true]) {
      const { sealed, answer, state } = await runOne(spineWith({ hmacKey: broken }), zid, background);
      t.notOk(sealed);
      t.equal(state, 'unsealed');
      t.ok(Math.abs(answer.value / -0.0551672173869299 - 1) < 1e-3);
      t.match(answer, { envelope: null, receipt: null, charges: { price_plancks: '0' } });
      t.match(answer.warnings, [/not sealed.*HMAC key.*Nothing was charged/]);
      t.match(await accounts.means(zid), { free: hour, held: 0n }, 'nothing charged, nothing held');
    }
    t.match(await auditSpine(store), { sound: true, leaves: 0 });
  },
);

t.test('one result that cannot be sealed spoils no other of its batch', async (t) => {
  const { zid } = await accounts.create({ fuel: hour });
  let count = 0;
  const sometimes = {
    mac: (...parts: Uint8Array[]) => {
      if (count++ === 3) throw new Error('once');
      return key.mac(...parts);
    },
  };
  const spine = spineWith({ hmacKey: sometimes });
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => runOne(spine, zid)));
  t.equal(outcomes.filter(({ sealed }) => sealed).length, 11);
  t.match(await auditSpine(store), { sound: true, leaves: 11 });
});

t.test('a store that refuses the settling transaction leaves no charge and no leaf', async (t) => {
  const { zid } = await accounts.create({ fuel: hour });
  const { leaves } = await auditSpine(store);
  const full = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (name === 'transaction')
        return async () => Promise.reject(new Refusal('STORE_UNAVAILABLE', 'The disk is full.'));
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const { sealed, answer } = await runOne(spineWith({ store: full }), zid);
  t.notOk(sealed);
  t.match(answer.warnings, [/disk is full/]);
  t.match(await accounts.means(zid), { free: hour, held: 0n });
  t.match(await auditSpine(store), { sound: true, leaves });
});
