import type { Children } from '../../mesh/decide/bisection.ts';
import type { Executor } from '../../workers/executor.ts';
import { tickOf } from '../clock/pulse.ts';
import { printableWord } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { holdPrice } from '../ledger/charge.ts';
import { toHex } from '../proof/bytes.ts';
import {
  type ChallengeOutcome,
  type ChallengeVerdict,
  overturns,
  verdictLeaf,
} from '../proof/challenge-verdict.ts';
import { leafHash } from '../proof/merkle.ts';
import type { NoteSigner } from '../proof/note.ts';
import { signStatement } from '../proof/statement.ts';
import type { NodeLog } from '../spine/node-log.ts';
import { envelopes } from '../spine/records.ts';
import { DuplicateKey, type Reader, type Store } from '../store/store.ts';
import type { NewRow } from '../store/table.ts';
import { engineVersion } from '../version.ts';
import type { Claim, Dispute, SealedClaim } from './claims.ts';
import { conclude, endUndecided, forfeit, Overtaken, ownersOf } from './ending.ts';
import {
  type ChallengeBody,
  challengeId,
  firstDispute,
  narrowedBy,
  sealedCoin,
  stakeFor,
  tokenOf,
} from './opening.ts';
import { OwnExecution } from './own-execution.ts';
import { type Bonds, noThird, type Party, type Provenance, type ThirdExecution } from './ports.ts';
import { spanProvenance } from './provenance.ts';
import {
  type ChallengeRow,
  type ChallengeState,
  challengeExchanges,
  challenges,
  openStates,
} from './records.ts';
import { type SealedRun, sealedRun } from './sealed-run.ts';
import { type Found, settled } from './settling.ts';
import { type ChallengeView, type ExchangeView, exchangeView, viewOf } from './view.ts';

/** Ticks that a challenger has for each exchange: 1000 s. */
export const EXCHANGE_TICKS = 1287;
/** Executions that may come to nothing before a challenge ends undecided. */
const MOST_FAILURES = 3;
/** Challenges with one claim, where each before the last was left undecided. */
const MOST_ATTEMPTS = 8;
/** Challenges that may be open at once. */
const most = { ofAccount: 8, ofResult: 16 };
const HOLD_NS = 10n * 365n * 86_400_000_000_000n;
const OVERDUE_BATCH = 50;

export interface ChallengeParts {
  readonly store: Store;
  readonly log: NodeLog;
  readonly node: string;
  readonly signer: NoteSigner;
  /** The threads of this machine, not the mesh: the service runs what it signs itself. */
  readonly executor: Executor;
  readonly now: () => bigint;
  /** Bytes of memory that a run may take. */
  readonly memory: number;
  readonly bonds: Bonds;
  /** Absent: the service runs the segments itself, and nobody else. */
  readonly third?: ThirdExecution;
  /** Absent: what the mesh has accepted. */
  readonly provenance?: Provenance;
  /** Told of nodes that a verdict found wrong, once that is durable: nobody should hear them any more. */
  readonly barred?: (node: string) => void;
}

/**
 * Challenges to sealed results (CONTRIB-06, CONTRIB-07): a stake, the search for the first segment on which challenger
 * and seal differ, its execution by others, a signed verdict and its consequences. Everything is in the store: a node
 * that is started again goes on.
 */
export class Challenges {
  readonly #parts: Required<ChallengeParts>;
  readonly #own: OwnExecution;
  readonly #stopped = new AbortController();
  /** Challenges that this process settles. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: ChallengeParts) {
    this.#parts = {
      ...{ third: noThird, provenance: spanProvenance(parts.store), barred: () => undefined },
      ...parts,
    };
    this.#own = new OwnExecution(parts);
  }

  /**
   * Opens a challenge and holds its stake. A repeat is the same challenge; of one that was left undecided it is another.
   * @throws Refusal NOT_FOUND · CONFLICT · INVALID_INPUT · RATE_LIMITED · OVERLOADED · INSUFFICIENT_BALANCE
   */
  async open(account: string, body: ChallengeBody): Promise<ChallengeView> {
    const { store, node } = this.#parts;
    const { id, before } = await this.#named(account, body);
    if (before) return viewOf(before);
    const { tokenId, job } = await sealedCoin(store, node, body.envelope);
    await refuseMany(store, account, tokenId);
    const run = await sealedRun(store, job, body.run);
    const { root, resultHash, work, segments } = body;
    const claim: Claim = { root, resultHash, work, segments };
    refuseSegments(claim, run.claim);
    const dispute = firstDispute(run.claim, claim, run.tree);
    const whole = { from: 0, through: run.claim.segments };
    const parties = await this.#parts.provenance.computedBy(job, body.run, whole);
    const nowNs = this.#parts.now();
    await this.#insert({
      ...{ id, token_id: tokenId, job, node, account, run: BigInt(body.run), version: 0n },
      ...{ claim, sealed: run.claim, dispute, parties, ...turn(dispute, nowNs) },
      ...{ exchanges: 0n, failures: 0n, stake_plancks: stakeFor(run.claim), opened_ns: nowNs },
    });
    return this.#shown(id);
  }

  /**
   * An exchange: the challenger shows its children of the node at hand. A repeat changes nothing.
   * @throws Refusal NOT_FOUND · FORBIDDEN · CONFLICT · INVALID_INPUT
   */
  async exchange(account: string, id: string, shown: Exchange): Promise<ChallengeView> {
    const row = await this.#row(id);
    if (row.account !== account)
      throw new Refusal('FORBIDDEN', 'Only the account that opened a challenge goes on with it.');
    if (await this.#wasShown(row, shown)) return this.#shown(id);
    if (await this.#expired(row)) return this.#refuseTurn(await this.#row(id), shown);
    const dispute = row.dispute as Dispute;
    if (row.state !== 'bisecting' || dispute.from !== shown.from || dispute.count !== shown.count)
      return this.#refuseTurn(row, shown);
    const { tree } = await sealedRun(this.#parts.store, row.job, Number(row.run));
    const claimed: Children = { left: shown.left, right: shown.right };
    const next = narrowedBy(dispute, claimed, tree);
    const atNs = this.#parts.now();
    await this.#parts.store.transaction(async (tx) => {
      const { version, state, exchanges: n } = row;
      const changes = { dispute: next, exchanges: n + 1n, version: version + 1n, ...turn(next, atNs) };
      if (!(await tx.update(challenges, { id }, changes, { version, state }))) return; // the same came twice at once
      const node = { from_leaf: BigInt(dispute.from), leaves: BigInt(dispute.count) };
      await tx.insert(challengeExchanges, {
        ...{ challenge: id, n, ...node, sealed: dispute.children!, claimed, at_ns: atNs },
      });
    });
    return this.#shown(id);
  }

  /** @throws Refusal NOT_FOUND */
  async view(id: string): Promise<ChallengeView & { readonly shown: readonly ExchangeView[] }> {
    const row = await this.#row(id);
    const query = { where: { challenge: id }, orderBy: { n: 'asc' } } as const;
    const shown = await this.#parts.store.find(challengeExchanges, query);
    return { ...viewOf(row), shown: shown.map(exchangeView) };
  }

  /** Newest first; `of`: the job or the coin that they are about. */
  async list(of: string | undefined, page: { limit: number; offset: number }) {
    const { store } = this.#parts;
    const isJob = of?.startsWith('job_');
    const where = of === undefined ? {} : isJob ? { job: of } : { token_id: of };
    const { rows, total } = await store.page(challenges, { where, orderBy: { opened_ns: 'desc' }, ...page });
    return { challenges: rows.map(viewOf), total };
  }

  /** Ends those whose challenger is silent, and goes on with those that a process left; to be called from time to time. */
  async recover(): Promise<void> {
    const { store, node, now } = this.#parts;
    const tick = BigInt(tickOf(now()));
    const late = { node, state: 'bisecting', deadline_tick: { lt: tick } };
    for (const row of await store.find(challenges, { where: late, limit: OVERDUE_BATCH }))
      await this.#expired(row);
    for (const row of await store.find(challenges, { where: { node, state: 'executing' } }))
      this.#execute(row.id);
  }

  /** Ends executions under way: the next start goes on with them. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.idle();
  }

  /** When all that this process has begun is done. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  // ---- records -----------------------------------------------------------------------------------------

  async #insert(row: NewRow<typeof challenges>): Promise<void> {
    const { id, account, token_id, stake_plancks: amount, opened_ns: atNs } = row;
    const stake = { id, zid: account, amount, atNs, reason: 'stake', expiresNs: atNs + HOLD_NS };
    try {
      await this.#parts.store.transaction(async (tx) => {
        if (await tx.get(challenges, { id })) return; // the same challenge came twice at once
        await refuseMany(tx, account, token_id);
        await tx.insert(challenges, row);
        await holdPrice(tx, stake);
        for (const owner of ownersOf(row.parties as Party[]))
          await this.#parts.bonds.challengeOpened(tx, { owner, challenge: id, atNs });
      });
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
    }
  }

  /** What a claim is called: behind challenges of the same that were left undecided, so that they stay as they are. */
  async #named(account: string, body: ChallengeBody): Promise<{ id: string; before?: ChallengeRow }> {
    const token = tokenOf(body.envelope);
    for (let attempt = 0; ; attempt++) {
      const id = challengeId(account, token, body, attempt);
      const before = await this.#parts.store.get(challenges, { id });
      if (!before) return { id };
      if (before.state !== 'undecided' || attempt + 1 >= MOST_ATTEMPTS) return { id, before };
    }
  }

  async #row(id: string): Promise<ChallengeRow> {
    const row = await this.#parts.store.get(challenges, { id });
    return row ?? refuse('NOT_FOUND', `There is no challenge ${printableWord(id)}.`);
  }

  /** As it stands; where it is the service's turn, that begins. */
  async #shown(id: string): Promise<ChallengeView> {
    const row = await this.#row(id);
    if (row.state === 'executing') this.#execute(id);
    return viewOf(row);
  }

  /** Whether this very exchange was made before. */
  async #wasShown({ id }: ChallengeRow, { from, count, left, right }: Exchange): Promise<boolean> {
    const where = { challenge: id, from_leaf: BigInt(from), leaves: BigInt(count) };
    const [before] = await this.#parts.store.find(challengeExchanges, { where });
    const claimed = before?.claimed as Children | undefined;
    return claimed?.left === left && claimed.right === right;
  }

  #refuseTurn({ state, dispute }: ChallengeRow, shown: Exchange): never {
    const { from, count } = dispute as Dispute;
    if (state !== 'bisecting')
      refuse('CONFLICT', `The search is over: the challenge is ${state}.`, { state });
    return refuse(
      'CONFLICT',
      `The node at hand covers ${count} leaves from ${from} on, not ${shown.count} from ${shown.from}.`,
      { field: 'from', accepts: { from, count } },
    );
  }

  /** Forfeits a challenge whose challenger was silent too long. @returns whether it was */
  async #expired(row: ChallengeRow): Promise<boolean> {
    const atNs = this.#parts.now();
    const { deadline_tick } = row;
    if (deadline_tick === null || BigInt(tickOf(atNs)) <= deadline_tick) return false;
    const detail =
      `The challenger said nothing through tick ${deadline_tick}, ${EXCHANGE_TICKS} ticks after its last word; ` +
      'its stake is lost, and the result stands as it was.';
    await this.#parts.store
      .transaction((tx) => forfeit(tx, this.#parts, row, detail, atNs))
      .catch((error) => {
        if (!(error instanceof Overtaken)) throw error;
      });
    return true;
  }

  // ---- execution and verdict ---------------------------------------------------------------------------

  #execute(id: string): void {
    if (this.#underWay.has(id) || this.#stopped.signal.aborted) return;
    const settling = this.#settle(id)
      .catch((error) => this.#failed(id, error))
      .catch(() => undefined) // the store is away: recover() comes back to it
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, settling);
  }

  async #settle(id: string): Promise<void> {
    const { store, memory } = this.#parts;
    const row = await this.#row(id);
    if (row.state !== 'executing' || this.#stopped.signal.aborted) return;
    const sealed = await sealedRun(store, row.job, Number(row.run));
    const { job, account: challenger } = row;
    const [claim, dispute] = [row.claim as Claim, row.dispute as Dispute];
    const disputed = { job, run: Number(row.run), challenger, sealed, claim, dispute, memory };
    const ports = { ...this.#parts, own: this.#own };
    const found = await settled(disputed, ports, this.#stopped.signal);
    const verdict = await this.#verdict(row, sealed, found);
    const { statement, note } = signStatement(this.#parts.signer, 'svc-verdict-1', { ...verdict });
    const text = verdictLeaf(statement);
    const batch = await store.transaction((tx) => conclude(tx, this.#parts, row, verdict, { text, note }));
    batch?.committed();
    if (batch) for (const node of verdict.faulty) this.#parts.barred(node);
  }

  async #verdict(row: ChallengeRow, sealed: SealedRun, found: Found): Promise<ChallengeVerdict> {
    const { store, node, now } = this.#parts;
    const { token_id } = row;
    const coin = (await store.get(envelopes, { token_id }))!;
    const tNs = now();
    const { runHash, kernel, stepsPerSegment, segments } = sealed.claim;
    const envelope = toHex(leafHash(coin.envelope));
    const { jobRoot, engineVersion: engine_version } = sealed;
    return {
      ...{ challenge: row.id, detail: sentences[found.outcome](found), revoked: overturns(found.outcome) },
      of: { envelope, node: coin.node, token_id, jobRoot, engine_version },
      ...{ run: Number(row.run), kernel, runHash, stepsPerSegment, segments },
      ...found,
      ...{ node, engine_version: engineVersion, tick: tickOf(tNs), t_ns: String(tNs) },
    };
  }

  /** An execution that came to nothing is tried again, a few times; one that was stopped goes on with the next start. */
  async #failed(id: string, error: unknown): Promise<void> {
    if (error instanceof Overtaken || this.#stopped.signal.aborted) return;
    if (error instanceof Refusal && passing.has(error.code)) return;
    const row = await this.#row(id);
    if (row.state !== 'executing') return;
    const { version, failures } = row;
    const why = error instanceof Refusal ? error.message : 'something broke on our side.';
    const detail = `The service could not run the segment, so nothing is decided; the stake is back: ${why}`;
    await this.#parts.store.transaction(async (tx) => {
      if (failures + 1n >= MOST_FAILURES)
        await endUndecided(tx, this.#parts, row, 'undecided', detail, this.#parts.now());
      else
        await tx.update(
          challenges,
          { id },
          { failures: failures + 1n, version: version + 1n },
          { version, state: row.state },
        );
    });
  }
}

export interface Exchange extends Children {
  readonly from: number;
  readonly count: number;
}

/** What passes by itself: it counts as no failure. */
const passing: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'OVERLOADED',
  'CANCELLED',
]);

/** Whose turn it is: the challenger's through a tick, or the service's. */
function turn(dispute: Dispute, atNs: bigint): { state: ChallengeState; deadline_tick: bigint | null } {
  if (!dispute.children) return { state: 'executing', deadline_tick: null };
  return { state: 'bisecting', deadline_tick: BigInt(tickOf(atNs) + EXCHANGE_TICKS) };
}

const spanOf = ({ from, through }: Pick<Found, 'from' | 'through'>): string =>
  from === through ? `segment ${from}` : `segments ${from} to ${through}`;

const sentences: Readonly<Record<ChallengeOutcome, (found: Found) => string>> = {
  contributor_wrong: (found) =>
    `${spanOf(found)} came out as the challenger says and not as it was sealed: the result is revoked, its charge given back.`,
  challenger_wrong: (found) =>
    `${spanOf(found)} came out as it was sealed and not as the challenger says: the result stands, the stake is lost.`,
  not_reproducible: (found) =>
    found.agreed
      ? `${spanOf(found)} came out neither as it was sealed nor as the challenger says: the result is revoked, its charge given back, and nobody loses anything.`
      : `What stands before ${spanOf(found)} did not come out as both sides have it: the result is revoked, its charge given back, and nobody loses anything.`,
};

function refuseSegments({ segments }: Claim, sealed: SealedClaim): void {
  if (segments <= sealed.segments + 1) return;
  const accepts = `0 to ${sealed.segments + 1}, which says that the run goes on behind what was sealed`;
  refuse('INVALID_INPUT', `segments is ${segments}; accepted: ${accepts}.`, { field: 'segments', accepts });
}

/** @throws Refusal RATE_LIMITED · OVERLOADED */
async function refuseMany(reader: Reader, account: string, token_id: string): Promise<void> {
  if ((await reader.count(challenges, { account, state: openStates })) >= most.ofAccount)
    refuse('RATE_LIMITED', `This account has ${most.ofAccount} challenges open, as many as it may.`, {
      retryAfter: 10,
    });
  if ((await reader.count(challenges, { token_id, state: openStates })) >= most.ofResult)
    refuse('OVERLOADED', `${most.ofResult} challenges to this result are open; one of them will tell.`, {
      retryAfter: 10,
    });
}
