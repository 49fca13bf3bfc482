import { Refusal } from '../errors/refusal.ts';

/**
 * Amounts. One planck is one nanosecond of reference-core time, so a compute-hour is 3 600 000 000 000 of them.
 * Amounts are bigint inside and decimal strings in JSON; no floating-point number ever holds one.
 */
export const plancksPerHour = 3_600_000_000_000n;

/** The largest amount that one record holds: 2⁶³ − 1 plancks, about 2.56 million compute-hours. */
export const plancksMax = 2n ** 63n - 1n;

function refuseAmount(field: string, accepts: string): never {
  throw new Refusal('INVALID_INPUT', `${field} must be ${accepts}.`, { field, accepts });
}

/**
 * Plancks of a decimal number of compute-hours: "1.5" is 5 400 000 000 000.
 * @throws Refusal INVALID_INPUT if it is not a whole number of plancks
 */
export function plancksOfHours(hours: unknown, field = 'hours'): bigint {
  const parts = typeof hours === 'string' ? /^(\d{1,12})(?:\.(\d{1,24}))?$/.exec(hours) : null;
  if (parts === null) refuseAmount(field, 'a decimal string of compute-hours, such as "1.5"');
  const decimals = parts[2] ?? '';
  const scaled = BigInt(parts[1]! + decimals) * plancksPerHour;
  const scale = 10n ** BigInt(decimals.length);
  if (scaled % scale !== 0n) refuseAmount(field, 'a whole number of plancks (1 h is 3600000000000 of them)');
  if (scaled / scale > plancksMax)
    refuseAmount(field, `at most ${formatHours(plancksMax)} compute-hours (${plancksMax} plancks)`);
  return scaled / scale;
}

/**
 * Compute-hours as a decimal string. 3.6·10¹² has the factor 9, so most amounts have no finite decimal: the string
 * is cut off (never rounded up) after `decimals` places and is for reading; where it is exact, trailing zeros go.
 */
export function formatHours(amount: bigint, decimals = 9): string {
  const magnitude = amount < 0n ? -amount : amount;
  const scaled = (magnitude * 10n ** BigInt(decimals)) / plancksPerHour;
  const digits = scaled.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return `${amount < 0n ? '-' : ''}${whole}${fraction && decimals > 0 ? `.${fraction}` : ''}`;
}
