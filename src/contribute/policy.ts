import { CHECK_TICKS } from '../../mesh/decide/checks.ts';
import { LEASE_TICKS } from '../../mesh/decide/leases.ts';
import { LEAST_RATE, MATCHES_PER_HALVING } from '../../mesh/decide/trust.ts';
import { TICK_NS } from '../clock/pulse.ts';
import { formatCoins, workPerCoin } from '../ledger/coins.ts';
import { TERM_DAYS } from './bond.ts';
import { MOST_NODES, PAPER_MINUTES } from './nodes.ts';

/** What the operator of a service decides about contributors. */
export interface ContributePolicy {
  /** Coins that a bond takes (CONTRIB-01). */
  readonly bondCoins: number;
  /** Nodes contribute only under a bond. Otherwise only those whose owner a verdict went against. */
  readonly bondRequired: boolean;
  /** Work units that the house pays a day for what one account asked for and nobody paid. */
  readonly freeWorkPerDay: bigint;
}

export const defaultPolicy: ContributePolicy = {
  bondCoins: 1000,
  bondRequired: false,
  freeWorkPerDay: workPerCoin,
};

const seconds = (ticks: number): number => Math.round((ticks * Number(TICK_NS)) / 1e6) / 1e3;

/** The rules as anybody may read them (CONTRIB-09). */
export function policyRules({ bondCoins, bondRequired, freeWorkPerDay }: ContributePolicy) {
  return {
    bond: {
      coins: bondCoins,
      required: bondRequired,
      term_days: Number(TERM_DAYS),
      rule:
        'Coins that were paid for and are not locked are marked where they are; issued_to stays. A bond is released ' +
        'at any time unless a challenge is open. A verdict against a node withholds the whole bond, bars the node ' +
        'for ever, and its owner contributes only under a bond from then on.',
    },
    coin: {
      work_units: String(workPerCoin),
      rule:
        'One coin for each CPU-hour of work that was accepted, counted in work units of the reference core and paid ' +
        'once for each first segment of a span; a check that was asked for and done is paid too. Work for a job that ' +
        'somebody pays is paid when the job is over and was charged.',
    },
    free_work: {
      coins_per_payer_and_day: formatCoins(freeWorkPerDay),
      work_units_per_payer_and_day: String(freeWorkPerDay),
      rule:
        'Work that nobody pays (on given fuel; for jobs that are cancelled, refused or refunded; for challenges) is ' +
        'paid by the house up to this much for each account that asks for it, by UTC day.',
    },
    checks: {
      first_rate: 1,
      matches_per_halving: MATCHES_PER_HALVING,
      least_rate: LEAST_RATE,
      rule: 'The share of claims that are run a second time, for each node and kernel; a mismatch starts at 1 again.',
    },
    lease: { silent_ticks: LEASE_TICKS, silent_seconds: seconds(LEASE_TICKS) },
    check: { silent_ticks: CHECK_TICKS, silent_seconds: seconds(CHECK_TICKS) },
    admission: { self_test_minutes: PAPER_MINUTES, nodes_per_account: MOST_NODES },
    modes: {
      idle: 'The node takes nothing.',
      contributing: 'The node takes work of others; it runs nothing of its owner.',
      experimenting: "The machine is its owner's; the node takes no work of others.",
      rule: 'Only this service changes a mode, when its owner says so; a switch ends at once what the mode before ran.',
    },
  };
}
