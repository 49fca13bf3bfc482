import type { Test } from 'tap';
import { transfersTable } from '../../src/ledger/records.ts';
import type { NodeConfig, ServiceNode } from '../../src/node.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { envelopes, jobs, logHeads } from '../../src/spine/records.ts';
import { pigeonhole } from '../solvers/formulas.ts';
import { answerOf, figureEight, hour, oscillator, testNode } from './test-node.ts';

// The pipeline's contract, run on each store. `config` gives every node a store of its own.

/** Everything that a refused request must leave as it was. */
async function books(node: ServiceNode, zid: string) {
  const { store } = node;
  return {
    means: await node.accounts.means(zid),
    charges: await store.count(transfersTable, { reason: 'charge', phase: { in: ['posted', 'post'] } }),
    envelopes: await store.count(envelopes),
    log: (await store.find(logHeads)).map((head) => head.size),
    done: await store.count(jobs, { state: 'done' }),
  };
}

export function run(t: Test, config: () => Partial<NodeConfig>): void {
  t.test('a result is sealed, charged once and in the log; its price was known before', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    const quote = await node.spine.quote('solve', oscillator);
    const job = await node.spine.submit({ account: zid, solver: 'solve', body: oscillator });
    const { answer, sealed } = await job.outcome;
    const { value, unit, charges, envelope, receipt } = answerOf(answer);
    t.ok(sealed);
    t.ok(Math.abs(value / -0.0551672173869299 - 1) < 1e-3, `${value} ${unit}`);
    t.equal(unit, 'm');
    t.equal(charges.price_plancks, quote.price_plancks, 'an exact quote is what is charged');
    t.equal(charges.from_fuel_plancks, quote.price_plancks, 'from fuel, for there is no bond (CMP-12)');
    t.equal(charges.from_bond_plancks, '0');
    t.equal(envelope.operators[0], 'KO42', 'ENV-13');
    t.equal(receipt.log.index, 0);
    const { free } = await node.accounts.means(zid);
    t.equal(free, hour - BigInt(quote.price_plancks));
    t.match(await auditSpine(node.store), { sound: true, problems: [], leaves: 1 });
  });

  t.test('what is refused moves no plancks, mints nothing and leaves no leaf (CMP-08, HON-19)', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    const before = await books(node, zid);
    const refused: [string, string, object][] = [
      ['MISSING_INPUT', 'solve', { inputs: { t_end: 3 } }],
      ['INVALID_INPUT', 'solve', { inputs: { ...oscillator.inputs, m: -1 } }],
      ['INVALID_INPUT', 'solve', { ...oscillator, mass: 3 }],
      ['STABILITY_LIMIT', 'solve', { ...oscillator, dt: 2 }],
      ['LIMIT_EXCEEDED', 'multibody', { ...figureEight, dt: 1e-9, t_max: 1e6 }],
      ['ENERGY_NOT_CONSERVED', 'multibody', { ...figureEight, dt: 1, integrator: 'leapfrog' }],
      ['NOT_FOUND', 'solvr', oscillator],
    ];
    for (const [code, solver, body] of refused) {
      const outcome = node.spine.submit({ account: zid, solver, body }).then((job) => job.outcome);
      await t.rejects(
        outcome,
        { code, details: { trace: [{}, {}, {}, { state: 'degraded' }, { state: 'degraded' }] } },
        code,
      );
    }
    t.same(await books(node, zid), before);
    t.match(await auditSpine(node.store), { sound: true });
  });

  t.test('a recorded job that fails its gate voids its hold and keeps its refusal', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    const before = await books(node, zid);
    const body = { ...figureEight, dt: 1, integrator: 'leapfrog' };
    const job = await node.spine.submit({ account: zid, solver: 'multibody', body, background: true });
    await t.rejects(job.outcome, {
      code: 'ENERGY_NOT_CONSERVED',
      details: { boundPct: 0.1, dt: 1, t_max: 2.5 },
    });
    t.same(await books(node, zid), before, 'held and given back');
    const row = await node.spine.records.row(job.id);
    t.match(row, { state: 'refused', error: { error: { code: 'ENERGY_NOT_CONSERVED' } } });
    t.match(await auditSpine(node.store), { sound: true });
  });

  t.test(
    'means that do not cover the price are 402 before anything runs, naming the price (CMP-10)',
    async (t) => {
      const node = await testNode(t, config());
      const { price_plancks } = await node.spine.quote('solve', oscillator);
      const { zid } = await node.accounts.create({ fuel: BigInt(price_plancks) - 1n });
      for (const background of [false, true]) {
        const submitted = node.spine.submit({ account: zid, solver: 'solve', body: oscillator, background });
        await t.rejects(submitted, { code: 'INSUFFICIENT_BALANCE', details: { price_plancks } });
      }
      await node.accounts.grant(zid, 1n);
      const job = await node.spine.submit({ account: zid, solver: 'solve', body: oscillator });
      t.ok((await job.outcome).sealed, 'with the exact price it runs');
      t.equal((await node.accounts.means(zid)).free, 0n);
    },
  );

  t.test('what other jobs hold is refused with when one of them is expected to end', async (t) => {
    const node = await testNode(t, config());
    const long = { ...figureEight, dt: 1e-7, t_max: 40, integrator: 'leapfrog' };
    const { price_plancks: price } = await node.spine.quote('multibody', long);
    const { zid } = await node.accounts.create({ fuel: BigInt(price) });
    const job = await node.spine.submit({ account: zid, solver: 'multibody', body: long, background: true });
    const beside = { account: zid, solver: 'solve', body: oscillator };
    for (const background of [false, true]) {
      const refusal = await node.spine.submit({ ...beside, background }).catch((error) => error);
      t.match(refusal, { code: 'INSUFFICIENT_BALANCE', message: /Ask again in about \d+ s/ });
      const { retryAfter } = refusal.details;
      const most = Math.ceil(Number(price) / 1e9);
      t.ok(retryAfter >= 1 && retryAfter <= most, `${retryAfter} s of at most ${most}`);
    }
    node.spine.cancel(job.id);
    await t.rejects(job.outcome, { code: 'CANCELLED' });
    t.ok((await (await node.spine.submit(beside)).outcome).sealed, 'and then it runs');
    const never = node.spine.submit({ account: zid, solver: 'multibody', body: { ...long, t_max: 80 } });
    const { details } = await never.catch((error) => error);
    t.equal(details.retryAfter, undefined, 'nothing is said where waiting does not help');
  });

  t.test('what is expected is enough to begin, and what is there is the most that is spent', async (t) => {
    const node = await testNode(t, config());
    // Nothing tells before that pigeons are harder than most formulas (Cook 1976).
    const body = { mode: 'decide', clauses: pigeonhole(6, 5) };
    const quote = await node.spine.quote('sat', body);
    const expected = BigInt(quote.expected_plancks);
    t.ok(expected < BigInt(quote.price_plancks));
    const { zid } = await node.accounts.create({ fuel: expected - 1n });
    const asked = { account: zid, solver: 'sat', body };
    const { price_plancks, expected_plancks } = quote;
    for (const background of [false, true])
      await t.rejects(
        node.spine.submit({ ...asked, background }),
        { code: 'INSUFFICIENT_BALANCE', details: { price_plancks, expected_plancks } },
        'with less it does not begin',
      );
    await node.accounts.grant(zid, 1n);
    const before = await books(node, zid);
    for (const background of [false, true]) {
      const job = await node.spine.submit({ ...asked, background });
      await t.rejects(
        job.outcome,
        { code: 'INSUFFICIENT_BALANCE', details: { price_plancks, held_plancks: expected_plancks } },
        'it needs more than there is',
      );
    }
    t.same(await books(node, zid), before, 'and costs nothing');

    const { zid: rich } = await node.accounts.create({ fuel: hour });
    const whole = await (await node.spine.submit({ ...asked, account: rich })).outcome;
    const { price_plancks: cost } = answerOf(whole.answer).charges;
    await node.accounts.grant(zid, 2n * BigInt(cost) - expected);
    for (const background of [false, true]) {
      const { outcome, id } = await node.spine.submit({ ...asked, background });
      t.equal(answerOf((await outcome).answer).charges.price_plancks, cost, 'with less than the price');
      t.ok((await node.spine.records.row(id))!.ceiling_plancks < BigInt(price_plancks));
    }
    t.same(await node.accounts.means(zid), { bond: 0n, free: 0n, paid: 0n, held: 0n });
    t.match(await auditSpine(node.store), { sound: true, leaves: 3 });
  });

  t.test('two at once cannot spend the same plancks', async (t) => {
    const node = await testNode(t, config());
    const { price_plancks } = await node.spine.quote('solve', oscillator);
    const { zid } = await node.accounts.create({ fuel: BigInt(price_plancks) * 5n });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, async (_, i) => {
        const request = { account: zid, solver: 'solve', body: oscillator, background: i % 2 === 0 };
        return (await node.spine.submit(request)).outcome;
      }),
    );
    const sealed = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    t.ok(sealed.length >= 1 && sealed.length <= 5, `${sealed.length} of 40 sealed`);
    const { free, held } = await node.accounts.means(zid);
    t.equal(held, 0n);
    t.equal(free, BigInt(price_plancks) * BigInt(5 - sealed.length));
    t.match(await auditSpine(node.store), { sound: true, leaves: sealed.length });
  });

  t.test('identical requests give identical bits and envelopes of their own (HON-17, HON-18)', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    const run = async () =>
      answerOf(
        (await (await node.spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome).answer,
      );
    const [first, second] = [await run(), await run()];
    t.equal(second.envelope.jobRoot, first.envelope.jobRoot);
    t.equal(second.envelope.valueBits, first.envelope.valueBits);
    t.not(second.envelope.token_id, first.envelope.token_id);
    t.not(second.envelope.t_ns, first.envelope.t_ns);
  });

  t.test('an Idempotency-Key makes a repeat the same job, also at once and after the end', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    for (const background of [false, true]) {
      const request = {
        account: zid,
        solver: 'solve',
        body: oscillator,
        idempotencyKey: `key ${background}`,
        background,
      };
      const together = await Promise.all([node.spine.submit(request), node.spine.submit(request)]);
      const answers = await Promise.all(together.map(async (job) => (await job.outcome).answer));
      const later = await node.spine.submit(request);
      t.same(answers[1], answers[0]);
      t.same((await later.outcome).answer, answers[0]);
      const other = { ...request, body: { inputs: { ...oscillator.inputs, x0: 0.2 } } };
      await t.rejects(node.spine.submit(other), { code: 'IDEMPOTENCY_CONFLICT' });
    }
    t.match(await auditSpine(node.store), { sound: true, leaves: 2 });
  });

  t.test('a job that is cancelled gives its hold back', async (t) => {
    const node = await testNode(t, config());
    const { zid } = await node.accounts.create({ fuel: hour });
    const body = { ...figureEight, dt: 1e-5, t_max: 400, integrator: 'leapfrog' };
    const job = await node.spine.submit({ account: zid, solver: 'multibody', body });
    t.ok((await node.accounts.means(zid)).held > 0n, 'held while it runs');
    await new Promise((resolve) => job.once('progress', resolve));
    t.ok(node.spine.cancel(job.id));
    await t.rejects(job.outcome, { code: 'CANCELLED' });
    t.match(await node.accounts.means(zid), { free: hour, held: 0n });
    t.match(await node.spine.records.row(job.id), { state: 'cancelled' });
  });

  t.test('an account whose refused work is used up waits for the next day', async (t) => {
    const node = await testNode(t, { ...config(), limits: { refusedPlancks: 1n } });
    const { zid } = await node.accounts.create({ fuel: hour });
    const body = { ...figureEight, dt: 1, integrator: 'leapfrog' };
    const run = async () => (await node.spine.submit({ account: zid, solver: 'multibody', body })).outcome;
    await t.rejects(run(), { code: 'ENERGY_NOT_CONSERVED' });
    await t.rejects(run(), { code: 'REFUSAL_ALLOWANCE_SPENT', details: { retryAfter: Number } });
  });
}
