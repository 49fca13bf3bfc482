import { formatHours, plancksPerHour } from './plancks.ts';

/**
 * Earned coins: one for each CPU-hour of accepted work (ECO-08). The ledger counts them in work units, of which a
 * CPU-hour has as many as a compute-hour has plancks, so that a segment of a second is paid without rounding. They
 * are not the coins that envelopes are: only earned coins burn to hours (OPEN-28).
 */
export const workPerCoin = plancksPerHour;

/** Coins as a decimal string, cut off after nine places: for reading; the work units beside it are exact. */
export const formatCoins = (work: bigint): string => formatHours(work);
