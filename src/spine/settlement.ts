import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../errors/refusal.ts';
import { type Charge, settleHold } from '../ledger/charge.ts';
import { Till } from '../ledger/till.ts';
import type { LogProof } from '../proof/checkpoint.ts';
import type { HmacKey } from '../proof/crypto-keys.ts';
import { type SealedEnvelope, type SealedFields, sealEnvelope } from '../proof/envelope.ts';
import { isStoreFault, OutcomeUnknown, type Store, type Transaction } from '../store/store.ts';
import { lastSigned, type NodeLog } from './node-log.ts';
import type { RecordedRuns } from './recorded-runs.ts';
import { envelopes, idempotencyKeys, jobs } from './records.ts';
import { answerBytes, type UnsealedAnswer } from './sealed-answer.ts';

/** A job that passed its gate and is to be sealed, charged and recorded. */
export interface Settling {
  readonly job: {
    readonly id: string;
    readonly account: string;
    readonly solver: string;
    readonly request: Uint8Array;
    readonly requestHash: string;
    readonly createdNs: bigint;
    readonly ceiling: bigint;
    readonly idempotencyKey?: string;
  };
  /** A job that was recorded while it ran: its attempt number and what it kept. */
  readonly recorded?: { readonly attempt: bigint; readonly runs: RecordedRuns };
  /** Work units done = plancks charged. */
  readonly work: bigint;
  /** What the envelope says, apart from charge and time. */
  readonly fields: Omit<
    SealedFields,
    'tNs' | 'pricePlancks' | 'fromBondPlancks' | 'fromFuelPlancks' | 'tokenId' | 'node'
  >;
  readonly tokenId: string;
  readonly answer: UnsealedAnswer;
}

/** Seals, charges and records: here or on a thread of its own. */
export interface Settler {
  /** Settles it, or says why not; nothing of it is to be seen before it is durable. */
  settle(item: Settling): Promise<Settled>;
  close(): Promise<void>;
}

/** How it ended: settled; or the job that this Idempotency-Key belongs to; or why it was not. */
export type Settled =
  | { readonly kind: 'settled'; readonly answer: Uint8Array }
  | { readonly kind: 'repeated'; readonly job: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'fenced' }
  /** `isStore`: the store would not take it, and will take no other as long as that lasts. */
  | { readonly kind: 'unsealed'; readonly reason: string; readonly isStore: boolean }
  /** The store was lost before it said whether it has taken it. */
  | { readonly kind: 'unknown' };

const MAX_BATCH = 256;
/** Turns of the event loop that a batch waits for more at most. */
const MAX_TURNS = 16;

interface Queued {
  readonly item: Settling;
  readonly resolve: (settled: Settled) => void;
}

/** Sealing one item went wrong: the batch is done again without it. */
class SealingFailed extends Error {
  readonly item: Settling;

  constructor(item: Settling, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.item = item;
  }
}

/**
 * Seals and settles: charge, coin, envelope, log leaf and job row of many results in one transaction under one
 * signed checkpoint. Nothing of it leaves before that transaction is durable; a kill leaves all of it or none
 * (docs/protocol.md, 'Seal, settle, record').
 */
export class Settlement implements Settler {
  readonly #store: Store;
  readonly #log: NodeLog;
  readonly #node: string;
  readonly #hmacKey: HmacKey;
  readonly #now: () => bigint;
  #queue: Queued[] = [];
  #flushing: Promise<void> | undefined;

  constructor(parts: { store: Store; log: NodeLog; node: string; hmacKey: HmacKey; now: () => bigint }) {
    this.#store = parts.store;
    this.#log = parts.log;
    this.#node = parts.node;
    this.#hmacKey = parts.hmacKey;
    this.#now = parts.now;
  }

  settle(item: Settling): Promise<Settled> {
    return new Promise((resolve) => {
      this.#queue.push({ item, resolve });
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined;
      });
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
  }

  /** What is queued while a batch is written makes the next batch. */
  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      await this.#settleBatch(this.#queue.splice(0, MAX_BATCH));
    }
  }

  /** A commit costs as much as many results: while each turn of the event loop brings more, it waits for them. */
  async #gather(): Promise<void> {
    let before = 0;
    for (let turn = 0; turn < MAX_TURNS && this.#queue.length > before; turn++) {
      before = this.#queue.length;
      await setImmediate();
    }
  }

  /** @param isAgain they may have been settled already */
  async #settleBatch(batch: readonly Queued[], isAgain = false): Promise<void> {
    if (batch.length === 0) return;
    try {
      const outcomes = await this.#write(
        batch.map(({ item }) => item),
        isAgain,
      );
      batch.forEach(({ resolve }, i) => {
        resolve(outcomes[i]!);
      });
    } catch (error) {
      if (error instanceof SealingFailed && batch.length > 0) {
        const failed = batch.find(({ item }) => item === error.item);
        failed?.resolve(withoutSeal(error));
        return this.#settleBatch(
          batch.filter((queued) => queued !== failed),
          isAgain,
        );
      }
      if (isAgain && isStoreFault(error)) {
        for (const { resolve } of batch) resolve({ kind: 'unknown' });
        return;
      }
      if (error instanceof OutcomeUnknown) return this.#settleBatch(batch, true);
      if (batch.length === 1) return batch[0]!.resolve(notWritten(error));
      for (const queued of batch) await this.#settleBatch([queued], isAgain); // one bad item must not spoil the others
    }
  }

  async #write(items: readonly Settling[], isAgain: boolean): Promise<Settled[]> {
    let committed: () => void = () => undefined;
    const outcomes = await this.#store.transaction(async (tx) => {
      const drafts: (Draft | Settled)[] = [];
      const till = new Till(tx);
      // Another process of this node may have a clock that is ahead of ours, and have sealed by it.
      let lastNs = (await lastSigned(tx, this.#node)) ?? 0n;
      for (const item of items) {
        const draft =
          (isAgain && (await settledBefore(tx, item))) || (await this.#draft(tx, till, item, lastNs));
        drafts.push(draft);
        if ('sealed' in draft) lastNs = draft.tNs;
      }
      await till.close();
      const sealed = drafts.filter((draft): draft is Draft => 'sealed' in draft);
      if (sealed.length === 0) return drafts as Settled[];
      const batch = await this.#log.append(
        tx,
        sealed.map((draft) => draft.sealed.leaf),
        lastNs,
      );
      committed = batch.committed;
      const settled = new Map<Draft, Settled>();
      for (const [i, draft] of sealed.entries())
        settled.set(draft, await this.#record(tx, draft, batch.proof(i)));
      return drafts.map((draft) => ('sealed' in draft ? settled.get(draft)! : draft));
    });
    committed();
    return outcomes;
  }

  /** Charge and envelope, or why not. A refusal of the ledger comes before it writes anything. */
  async #draft(tx: Transaction, till: Till, item: Settling, lastNs: bigint): Promise<Draft | Settled> {
    const repeated = await earlierJob(tx, item);
    if (repeated) return repeated;
    const stopped = item.recorded && (await stoppedJob(tx, item));
    if (stopped) return stopped;
    const now = this.#now();
    // Another thread's clock may have begun within the same millisecond.
    const before = item.job.createdNs > lastNs ? item.job.createdNs : lastNs;
    const tNs = now > before ? now : before + 1n;
    let paid: Charge;
    try {
      paid = await pay(tx, till, item, tNs);
    } catch (error) {
      if (error instanceof Refusal && !isStoreFault(error)) return { kind: 'refused', refusal: error };
      throw error;
    }
    return { item, paid, tNs, sealed: this.#seal(item, paid, tNs) };
  }

  #seal(item: Settling, paid: Charge, tNs: bigint): SealedEnvelope {
    try {
      const charges = {
        pricePlancks: paid.price_plancks,
        fromBondPlancks: paid.from_bond_plancks,
        fromFuelPlancks: paid.from_fuel_plancks,
      };
      return sealEnvelope(
        { ...item.fields, ...charges, node: this.#node, tokenId: item.tokenId, tNs },
        this.#hmacKey,
      );
    } catch (error) {
      throw new SealingFailed(item, error);
    }
  }

  async #record(tx: Transaction, { item, paid, tNs, sealed }: Draft, log: LogProof): Promise<Settled> {
    const { job } = item;
    const answer = answerBytes(item.answer, sealed, log);
    await tx.insert(envelopes, {
      token_id: item.tokenId,
      node: this.#node,
      leaf_index: BigInt(log.index),
      job: job.id,
      issued_to: job.account,
      owner: job.account,
      // A coin is movable only if nothing in it was given (TALLY-03, TALLY-04).
      funding: paid.split.free > 0n ? 'free' : 'paid',
      face_plancks: paid.price_plancks,
      sealed_ns: tNs,
      envelope: sealed.leaf,
    });
    const end = { state: 'done', finished_ns: tNs, work: item.work, token_id: item.tokenId, answer };
    if (item.recorded) {
      await tx.update(jobs, { id: job.id }, end);
      await item.recorded.runs.forgetAll(tx);
    } else {
      await insertSmallJob(tx, job, end);
    }
    return { kind: 'settled', answer };
  }
}

interface Draft {
  readonly item: Settling;
  readonly paid: Charge;
  readonly tNs: bigint;
  readonly sealed: SealedEnvelope;
}

/** A value that may not be sealed is refused; one that could not be goes back without a seal (CMP-11). */
function withoutSeal({ cause, message }: SealingFailed): Settled {
  return cause instanceof Refusal
    ? { kind: 'refused', refusal: cause }
    : { kind: 'unsealed', reason: message, isStore: false };
}

/** What the store would not take goes back without a seal too. */
export function notWritten(error: unknown): Settled {
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'unsealed', reason, isStore: isStoreFault(error) };
}

/** By a transaction of which nobody was told that it was committed. */
async function settledBefore(
  tx: Transaction,
  { job: { id }, tokenId }: Settling,
): Promise<Settled | undefined> {
  const row = await tx.get(jobs, { id });
  return row?.token_id === tokenId ? { kind: 'settled', answer: row.answer! } : undefined;
}

/** Another call with the same Idempotency-Key was settled first (a recorded job wrote its key when it began). */
async function earlierJob(tx: Transaction, { job, recorded }: Settling): Promise<Settled | undefined> {
  if (job.idempotencyKey === undefined || recorded) return undefined;
  const key = { account: job.account, idempotency_key: job.idempotencyKey };
  const row = await tx.get(idempotencyKeys, key);
  if (!row) return undefined;
  if (row.request_hash === job.requestHash && row.solver === job.solver)
    return { kind: 'repeated', job: row.job };
  return { kind: 'refused', refusal: keyUsedBefore() };
}

/** The refusal of an Idempotency-Key that stands for another request. */
export function keyUsedBefore(): Refusal {
  return new Refusal('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used before with another request.');
}

/** A recorded job that is not to be settled: another process has it, or somebody asked to cancel it. */
async function stoppedJob(tx: Transaction, { job, recorded }: Settling): Promise<Settled | undefined> {
  const { attempt } = recorded!;
  const held = { state: 'running', attempt };
  if (await tx.update(jobs, { id: job.id }, { attempt }, { ...held, cancel_ns: null })) return undefined;
  if ((await tx.count(jobs, { id: job.id, ...held })) === 0) return { kind: 'fenced' };
  return { kind: 'refused', refusal: new Refusal('CANCELLED', 'The run was cancelled.') };
}

/** A small job's own row, inserted in this transaction, makes its payment the only one with this id. */
async function pay(
  tx: Transaction,
  till: Till,
  { job, recorded, work }: Settling,
  atNs: bigint,
): Promise<Charge> {
  if (!recorded) return till.charge({ id: job.id, zid: job.account, amount: work, atNs });
  await till.close(); // the hold is settled on the same balances
  return settleHold(tx, job.id, work, atNs);
}

async function insertSmallJob(
  tx: Transaction,
  job: Settling['job'],
  end: { state: string; finished_ns: bigint; work: bigint; token_id: string; answer: Uint8Array },
): Promise<void> {
  await tx.insert(jobs, {
    id: job.id,
    account: job.account,
    solver: job.solver,
    request: job.request,
    request_hash: job.requestHash,
    created_ns: job.createdNs,
    ceiling_plancks: job.ceiling,
    attempt: 1n,
    lease_until_ns: 0n,
    ...end,
  });
  if (job.idempotencyKey === undefined) return;
  await tx.insert(idempotencyKeys, {
    account: job.account,
    idempotency_key: job.idempotencyKey,
    job: job.id,
    solver: job.solver,
    request_hash: job.requestHash,
    created_ns: job.createdNs,
  });
}
