/** So many ticks without a beat are a gap: this process stood still, and what nodes said meanwhile is not heard yet. */
const GAP_TICKS = 3;

/**
 * Since when this service node has heard nodes without a gap, by its own beats and by its transport: nobody is silent
 * who could not be heard (docs/mesh.md, 'How a run is decided').
 */
export class Attention {
  readonly #transport: () => number;
  #since: number;
  #beat: number;

  /** `transport`: the tick since which the transport hears. */
  constructor(tick: number, transport: () => number) {
    this.#transport = transport;
    this.#since = tick;
    this.#beat = tick;
  }

  /** Once a tick. */
  beat(tick: number): void {
    this.#since = this.since(tick);
    this.#beat = Math.max(this.#beat, tick);
  }

  /** Tick since which nothing was missed, as seen in `tick`. */
  since(tick: number): number {
    const own = tick - this.#beat > GAP_TICKS ? tick : this.#since;
    return Math.max(own, Math.min(this.#transport(), tick));
  }
}
