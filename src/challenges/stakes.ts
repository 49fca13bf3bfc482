import type { Held, Holders } from '../ledger/hold-audit.ts';
import { challenges, openStates as state } from './records.ts';

/** Challenges hold their stake until they end. */
export const openStakes: Holders = {
  what: 'challenge',
  async lasting(tx) {
    const open = await tx.sumBy(challenges, 'stake_plancks', ['id', 'account'], { state });
    return open.map(({ id, account, sum }): Held => ({ id, zid: account, amount: sum }));
  },
};
