import { PULSE_HZ, TICK_NS, tickOf } from './pulse.ts';

/** The clock's constants, exact and as shown, and its reading at a time (CLOCK-04, CLOCK-05). */
export function clockReading(tNs: bigint) {
  const text = decimalSeconds(TICK_NS);
  return {
    /** Exact, an integer. */
    tick_ns: Number(TICK_NS),
    /** Exact, decimal text; as a number it is the nearest double. */
    period_s_exact: text,
    period_s: Number(text),
    /** A caption: never to be computed with. */
    display_label: `${Number(text).toFixed(3)} s`,
    pulse_hz: PULSE_HZ,
    pulse_hz_exact: `1000000000/${TICK_NS}`,
    epoch: '1970-01-01T00:00:00Z',
    tick: tickOf(tNs),
    t_ns: String(tNs),
  };
}

function decimalSeconds(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
}
