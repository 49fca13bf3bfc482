import type { Reader } from '../../src/store/store.ts';
import { type AcceptedSpan, lastSpan, type StoredRun, storedRun } from './run-rows.ts';

/** A run, and the last span that was accepted of it: null where there is none, undefined where nobody has looked. */
export interface KnownRun {
  readonly stored: StoredRun;
  readonly last?: AcceptedSpan | null;
}

/** Digests of claims that are remembered: about 30 MB. */
const MOST_DIGESTS = 2 ** 18;

/**
 * Runs as this process last read or wrote them. What builds on one is compared with the store when it is written, so
 * one that is out of date costs another look and nothing else; who changes nothing looks into the store itself.
 */
export class KnownRuns {
  readonly #runs = new Map<string, KnownRun>();
  #digests = 0;

  /** The least lately used goes first. */
  get(id: string): KnownRun | undefined {
    const known = this.#runs.get(id);
    if (!known) return undefined;
    this.#runs.delete(id);
    this.#runs.set(id, known);
    return known;
  }

  /** A run that is over is asked for no more. */
  set(known: KnownRun): void {
    const { machine } = known.stored;
    this.forget(machine.id);
    if (machine.state !== 'open') return;
    this.#runs.set(machine.id, known);
    this.#digests += digestsIn(known);
    while (this.#digests > MOST_DIGESTS) this.forget(this.#runs.keys().next().value!);
  }

  forget(id: string): void {
    const known = this.#runs.get(id);
    if (!known) return;
    this.#runs.delete(id);
    this.#digests -= digestsIn(known);
  }
}

export async function readKnown(reader: Reader, id: string): Promise<KnownRun | undefined> {
  const stored = await storedRun(reader, id);
  return stored && { stored };
}

/** Where the next segment starts. */
export async function lastOf(reader: Reader, { stored, last }: KnownRun): Promise<AcceptedSpan | undefined> {
  return (last === undefined ? await lastSpan(reader, stored.machine.id) : last) ?? undefined;
}

/** A run without claims has a weight too. */
const OWN_WEIGHT = 16;

function digestsIn({ stored, last }: KnownRun): number {
  const claims = stored.machine.spans.flatMap(({ claim, checks }) => [
    claim,
    ...checks.map((check) => check.claim),
  ]);
  return [...claims, last?.claim].reduce((sum, claim) => sum + (claim?.digests.length ?? 0), OWN_WEIGHT);
}
