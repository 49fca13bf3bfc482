import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '#crypto';
import { Refusal } from '../errors/refusal.ts';
import { accountId, type Means, means, openAccounts } from '../ledger/accounts.ts';
import { fund } from '../ledger/fund.ts';
import { formatHours, plancksMax } from '../ledger/plancks.ts';
import { accountsTable } from '../ledger/records.ts';
import type { Store, Transaction } from '../store/store.ts';
import { accountKeys, accounts } from './records.ts';

const KEY_PREFIX = 'svc_ak_';
/** `svc_ak_` + id (12 hex digits) + secret (40 hex digits): one word, so that it is selected by a double click. */
const KEY = /^svc_ak_([0-9a-f]{12})([0-9a-f]{40})$/;

export interface MintedKey {
  readonly id: string;
  readonly zid: string;
  /** Shown once; only its hash is kept (AUTH-02, AUTH-03). */
  readonly key: string;
}

/** A key that was found good stays good this long without a look at the store; so a revocation takes this long. */
const KEY_MEMORY_NS = 1_000_000_000n;
const KEYS_REMEMBERED = 10_000;

const secretHash = (secret: string): Uint8Array => sha256(new TextEncoder().encode(secret));

/** Accounts and the bearer keys that speak for them. */
export class Accounts {
  readonly #store: Store;
  readonly #now: () => bigint;
  readonly #goodKeys = new Map<string, { zid: string; hash: Uint8Array; untilNs: bigint }>();

  constructor(store: Store, now: () => bigint) {
    this.#store = store;
    this.#now = now;
  }

  /** Opens an account and, with it, its ledger accounts; `fuel` plancks are granted to it, so its coins are soulbound. */
  async create(options: { zid?: string; label?: string; fuel?: bigint } = {}): Promise<{ zid: string }> {
    const zid = options.zid ?? `z${randomBytes(10).toString('hex')}`;
    const now = this.#now();
    await this.#store.transaction(async (tx) => {
      await tx.insert(accounts, { zid, label: options.label ?? null, created_ns: now });
      await openAccounts(tx, zid, now);
      if (options.fuel) await grant(tx, zid, options.fuel, now);
    });
    return { zid };
  }

  /**
   * Grants fuel; `field` is what the caller calls the amount.
   * @throws Refusal NOT_FOUND for an account that is not there, INVALID_INPUT beyond what an account can be granted
   */
  async grant(zid: string, plancks: bigint, field = 'amount'): Promise<void> {
    await this.#mustExist(zid);
    await this.#store.transaction(async (tx) => {
      await refuseBeyondRoom(tx, zid, plancks, field);
      await grant(tx, zid, plancks, this.#now());
    });
  }

  /** What the account can spend, in plancks, by where it comes from. @throws Refusal NOT_FOUND */
  means(zid: string): Promise<Means> {
    return means(this.#store, zid);
  }

  async exists(zid: string): Promise<boolean> {
    return (await this.#store.get(accounts, { zid })) !== undefined;
  }

  /** @throws Refusal NOT_FOUND for an account that is not there */
  async mintKey(zid: string): Promise<MintedKey> {
    await this.#mustExist(zid);
    const id = randomBytes(6).toString('hex');
    const secret = randomBytes(20).toString('hex');
    const row = { id, zid, secret_sha256: secretHash(secret), created_ns: this.#now() };
    await this.#store.transaction((tx) => tx.insert(accountKeys, row));
    return { id, zid, key: `${KEY_PREFIX}${id}${secret}` };
  }

  async revokeKey(id: string): Promise<boolean> {
    this.#goodKeys.delete(id);
    const changes = { revoked_ns: this.#now() };
    return this.#store.transaction((tx) => tx.update(accountKeys, { id }, changes, { revoked_ns: null }));
  }

  /** The account that a raw key speaks for; undefined for a key that is malformed, unknown or revoked. */
  async zidOfKey(raw: string): Promise<string | undefined> {
    const match = KEY.exec(raw);
    if (!match) return undefined;
    const [, id, secret] = match as unknown as [string, string, string];
    const presented = secretHash(secret);
    const known = this.#goodKeys.get(id);
    if (known && this.#now() < known.untilNs)
      return timingSafeEqual(known.hash, presented) ? known.zid : undefined;
    const row = await this.#store.get(accountKeys, { id });
    if (!row || row.revoked_ns !== null || !timingSafeEqual(row.secret_sha256, presented)) {
      this.#goodKeys.delete(id);
      return undefined;
    }
    if (this.#goodKeys.size >= KEYS_REMEMBERED) this.#goodKeys.clear();
    this.#goodKeys.set(id, { zid: row.zid, hash: row.secret_sha256, untilNs: this.#now() + KEY_MEMORY_NS });
    return row.zid;
  }

  async #mustExist(zid: string): Promise<void> {
    if (!(await this.exists(zid))) throw new Refusal('NOT_FOUND', `There is no account ${zid}.`, { zid });
  }
}

/** All that an account was ever granted is one number of 64 bits. */
async function refuseBeyondRoom(tx: Transaction, zid: string, amount: bigint, field: string): Promise<void> {
  const granted = (await tx.get(accountsTable, { id: accountId('fuel-free', zid) }))?.credits_posted ?? 0n;
  const room = plancksMax - granted;
  if (amount <= room) return;
  const accepts = `at most ${formatHours(room)} compute-hours (${room} plancks)`;
  const sentence = `${field} must be ${accepts}: the account was granted ${formatHours(granted)} already.`;
  throw new Refusal('INVALID_INPUT', sentence, { field, accepts });
}

function grant(tx: Transaction, zid: string, amount: bigint, atNs: bigint): Promise<void> {
  const id = `grant_${randomBytes(12).toString('hex')}`;
  return fund(tx, { id, zid, amount, funding: 'free', atNs });
}
