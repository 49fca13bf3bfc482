import type { AdmissionRequest, SelfTestPaper } from '../../mesh/contributor/admission.ts';
import type { CreditedWork } from '../../mesh/coordinator/ports.ts';
import type { Segments } from '../../mesh/decide/pay.ts';
import type { Mode } from '../../mesh/desk.ts';
import { type MeshNodeRow, meshNodes } from '../../mesh/records.ts';
import { tickOf } from '../clock/pulse.ts';
import { printable } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import type { Store, Transaction } from '../store/store.ts';
import {
  challengeClosed,
  challengeOpened,
  contributorRow,
  type Fault,
  type OpenChallenge,
  placeBond,
  releaseBond,
  restNodes,
  withholdBond,
} from './bond.ts';
import { creditAgain, creditWork, type RefutedWork, type RepeatedWork, takeBackCredit } from './credit.ts';
import { type Earnings, type EarningsQuery, earnings } from './earnings.ts';
import { isMode, modes, switchMode } from './modes.ts';
import { type Admitted, admit, leave, type MeshDoor, newPaper, ownNode } from './nodes.ts';
import { jobRefunded, payOut, type RefundedJob } from './pay-out.ts';
import { type ContributePolicy, defaultPolicy, policyRules } from './policy.ts';
import { bonds } from './records.ts';
import { type Census, census, type Standing, standing } from './standing.ts';

/** What a mesh that is up does for contributions; without one nodes are neither admitted nor told anything. */
export interface ContributionPorts {
  readonly door?: MeshDoor;
  /** Nodes are told; what the mode before ran ends there, and their leases are given back. */
  modeChanged?(nodes: readonly string[], mode: Mode): void;
  /** Nodes that gave a sign of life lately. */
  present?(): Promise<readonly string[]>;
}

/** Contributors: who they are, what they have at stake, what they do and what they earned. */
export class Contributions {
  readonly policy: ContributePolicy;
  readonly #store: Store;
  readonly #now: () => bigint;
  #ports: ContributionPorts = {};
  #counted: { readonly tick: number; readonly census: Promise<Census> } | undefined;

  constructor(parts: { store: Store; now: () => bigint; policy?: Partial<ContributePolicy> }) {
    this.#store = parts.store;
    this.#now = parts.now;
    this.policy = { ...defaultPolicy, ...parts.policy };
  }

  /** Connects a mesh. */
  join(ports: ContributionPorts): void {
    this.#ports = ports;
  }

  // ---- nodes -------------------------------------------------------------------------------------------

  /** @throws Refusal UNSUPPORTED where this node runs no mesh */
  selfTest(zid: string): Promise<SelfTestPaper> {
    return newPaper(this.#door, zid, this.#now());
  }

  /** @throws Refusal INVALID_INPUT · FORBIDDEN · LIMIT_EXCEEDED · UNSUPPORTED */
  admit(zid: string, request: AdmissionRequest): Promise<Admitted> {
    return admit(this.#store, this.#door, zid, request, this.#now());
  }

  get #door(): MeshDoor {
    return this.#ports.door ?? refuse('UNSUPPORTED', 'This node runs no mesh.');
  }

  nodes(owner: string): Promise<MeshNodeRow[]> {
    return this.#store.find(meshNodes, { where: { owner }, orderBy: { admitted_ns: 'asc' } });
  }

  /** Whether a node may connect: it was admitted, has not left and is not barred. */
  async isAdmitted(node: string): Promise<boolean> {
    return (await this.#store.get(meshNodes, { id: node }))?.state === 'admitted';
  }

  /** @throws Refusal NOT_FOUND · CONFLICT */
  async leave(owner: string, node: string): Promise<void> {
    await this.#store.transaction((tx) => leave(tx, owner, node));
    this.#ports.modeChanged?.([node], 'idle');
  }

  // ---- mode --------------------------------------------------------------------------------------------

  /** @throws Refusal INVALID_INPUT for another value · NOT_FOUND · CONFLICT (CONTRIB-03, CONTRIB-04) */
  async switchMode(owner: string, mode: unknown, node?: string): Promise<{ mode: Mode; nodes: string[] }> {
    if (!isMode(mode))
      refuse('INVALID_INPUT', `mode is ${modes.join(', ')}; it cannot be ${printable(mode)}.`, {
        field: 'mode',
        accepts: modes,
      });
    const nowNs = this.#now();
    await contributorRow(this.#store, owner, nowNs);
    const nodes = await this.#store.transaction((tx) =>
      switchMode(tx, { owner, mode, node, nowNs }, this.policy),
    );
    if (nodes.length > 0) this.#ports.modeChanged?.(nodes, mode);
    return { mode, nodes };
  }

  /** A sign of life. It changes no mode, whatever comes with it (CONTRIB-05). @throws Refusal NOT_FOUND */
  async heartbeat(owner: string, node?: string): Promise<{ mode: Mode; heardNs: bigint }> {
    const heardNs = this.#now();
    if (node === undefined) return { mode: (await this.#account(owner)).mode as Mode, heardNs };
    return this.#store.transaction(async (tx) => {
      const { mode } = await ownNode(tx, owner, node);
      await tx.update(meshNodes, { id: node }, { heard_ns: heardNs });
      return { mode: mode as Mode, heardNs };
    });
  }

  #account(owner: string) {
    return contributorRow(this.#store, owner, this.#now());
  }

  // ---- bond --------------------------------------------------------------------------------------------

  /** @throws Refusal CONFLICT with how many coins there are where they are too few (CONTRIB-01) */
  bond(owner: string): Promise<void> {
    return placeBond(this.#store, owner, this.policy.bondCoins, this.#now());
  }

  /** @throws Refusal CONFLICT (CONTRIB-02, OPEN-37) */
  async release(owner: string): Promise<void> {
    const rested = await this.#store.transaction(async (tx) => {
      await releaseBond(tx, owner, this.#now());
      return this.policy.bondRequired ? restNodes(tx, owner) : [];
    });
    if (rested.length > 0) this.#ports.modeChanged?.(rested, 'idle');
  }

  /** Ends bonds whose term is over, a few at a time; one that is challenged stands until that is decided. */
  async endTerms(limit = 20): Promise<number> {
    const where = { state: 'bonded', ends_ns: { lte: this.#now() } };
    const over = await this.#store.find(bonds, { where, orderBy: { ends_ns: 'asc' }, limit });
    const ended = await Promise.allSettled(over.map(({ owner }) => this.release(owner)));
    return ended.filter(({ status }) => status === 'fulfilled').length;
  }

  /** Keeps an account's bond from being released until `challengeClosed`. */
  challengeOpened(tx: Transaction, challenge: OpenChallenge & { readonly atNs: bigint }): Promise<void> {
    return challengeOpened(tx, challenge);
  }

  challengeClosed(tx: Transaction, challenge: OpenChallenge): Promise<void> {
    return challengeClosed(tx, challenge);
  }

  // ---- inside the transactions of others ---------------------------------------------------------------

  /** A verdict found a node wrong (CONTRIB-06). */
  withhold(tx: Transaction, fault: Fault): Promise<void> {
    return withholdBond(tx, fault);
  }

  /** Pays for work, once: at once from the house, or when the job is over. */
  credit(tx: Transaction, done: CreditedWork): Promise<void> {
    return creditWork(tx, done, this.policy.freeWorkPerDay);
  }

  /** Pays for segments that are run again, where nobody is paid for them. @returns the work that is paid by it */
  creditAgain(tx: Transaction, done: RepeatedWork): Promise<bigint> {
    return creditAgain(tx, done, this.policy.freeWorkPerDay);
  }

  /** A verdict found work wrong that was paid. @returns the segments that it was paid for */
  takeBack(tx: Transaction, refuted: RefutedWork): Promise<Segments[]> {
    return takeBackCredit(tx, refuted);
  }

  /** A job was charged, its coins were paid, and now its asker has the money back. */
  jobRefunded(tx: Transaction, refunded: RefundedJob): Promise<void> {
    return jobRefunded(tx, refunded);
  }

  /** Pays for the work on jobs that are over; called again and again. @returns lines that were settled */
  payOut(): Promise<number> {
    return payOut(this.#store, { freeWorkMost: this.policy.freeWorkPerDay, nowNs: this.#now() });
  }

  // ---- what can be read --------------------------------------------------------------------------------

  rules() {
    return policyRules(this.policy);
  }

  standing(owner: string): Promise<Standing> {
    return standing(this.#store, owner, this.#now());
  }

  /** Read at most once a tick, whoever asks. */
  census(): Promise<Census> {
    const tick = tickOf(this.#now());
    if (this.#counted?.tick !== tick) this.#counted = { tick, census: this.#count() };
    return this.#counted.census;
  }

  async #count(): Promise<Census> {
    return census(this.#store, (await this.#ports.present?.()) ?? []);
  }

  /** @throws Refusal NOT_FOUND for another's node */
  earnings(owner: string, query: EarningsQuery): Promise<Earnings> {
    return earnings(this.#store, owner, query);
  }
}
