import type { Claim } from '../decide/claim.ts';
import type { StoredRun } from './run-rows.ts';

/** Work counters count from the start of a run: what a span did is the difference to the one before it. */
export class WorkBefore {
  readonly #ends = new Map<number, bigint>();

  constructor({ sheet, machine }: StoredRun, last: { readonly claim: Claim } | undefined) {
    // A span that goes on behind where the run went back to counts for nothing.
    const end = last?.claim.to === machine.accepted ? last.claim : sheet.start;
    this.#ends.set(machine.accepted, BigInt(end?.work ?? 0));
    for (const { claim } of machine.spans) if (claim) this.#ends.set(claim.to, BigInt(claim.work));
  }

  /** Work of a claim alone; never negative, whatever a node claims. */
  of(claim: Claim): bigint {
    const done = BigInt(claim.work) - (this.#ends.get(claim.from - 1) ?? 0n);
    return done > 0n ? done : 0n;
  }
}
