import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { AssistTask } from './assist-thread.ts';
import { breakTeam, MOST_ASSISTANTS, setSeats, type Team } from './team.ts';

/** A thread whose run is over leaves within a block; one that has not by then is ended. */
const LEAVE_MS = 2000;

/** The threads of this machine that no run has, lent to runs that can use more than one. */
export class Assistants {
  #threads: Piscina<AssistTask, void>;
  /** By team, the seats whose thread has not left yet, and what ends that thread. */
  #teams = new Map<Team, Map<number, AbortController>>();
  #closing = false;

  /** @param most threads at a time · @param settings how the pool makes threads */
  constructor(most: number, settings: object) {
    this.#threads = new Piscina({
      ...settings,
      filename: fileURLToPath(new URL('./assist-thread.js', import.meta.url)),
      minThreads: 0,
      maxThreads: Math.max(most, 1),
      workerData: undefined,
    });
    // Of a thread that ends without a task, as where it has no memory to start in. Nobody listening would end the node.
    this.#threads.on('error', () => {});
  }

  /** A run begins that others may assist. */
  add(team: Team): void {
    this.#teams.set(team, new Map());
  }

  /** The run is over, however it ended, or goes on alone. */
  remove(team: Team): void {
    setSeats(team, 0);
    const taken = this.#teams.get(team);
    this.#teams.delete(team);
    const stuck = () => {
      for (const thread of taken?.values() ?? []) thread.abort();
    };
    if (taken?.size) setTimeout(stuck, LEAVE_MS).unref();
  }

  /** No more than this many assist from now on: others leave, nobody comes. */
  limit(threads: number): void {
    let free = Math.max(threads, 0);
    for (const [team, taken] of this.#teams) {
      const kept = Math.min(taken.size, free);
      if (kept < taken.size) setSeats(team, kept);
      free -= kept;
    }
  }

  /** As many as this assist from now on, of the teams in turn, the one that began first before the others. */
  spread(threads: number): void {
    if (this.#teams.size === 0 || this.#closing) return;
    const seats = new Map([...this.#teams.keys()].map((team) => [team, 0]));
    for (let free = Math.max(threads, 0), given = 1; free > 0 && given > 0; ) {
      given = 0;
      for (const [team, has] of seats) {
        if (free === 0 || has === MOST_ASSISTANTS) continue;
        seats.set(team, has + 1);
        free--;
        given++;
      }
    }
    for (const [team, wanted] of seats) this.#seat(team, wanted);
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const team of this.#teams.keys()) setSeats(team, 0);
    await this.#threads.destroy();
  }

  #seat(team: Team, wanted: number): void {
    const taken = this.#teams.get(team)!;
    setSeats(team, wanted);
    for (let seat = 1; seat <= wanted; seat++) if (!taken.has(seat)) void this.#assist(team, seat, taken);
  }

  async #assist(team: Team, seat: number, taken: Map<number, AbortController>): Promise<void> {
    const thread = new AbortController();
    taken.set(seat, thread);
    try {
      await this.#threads.run({ team, seat }, { signal: thread.signal });
    } catch {
      // It trapped, was ended or could not even start: whoever leads goes on alone.
      breakTeam(team);
      this.remove(team);
    } finally {
      taken.delete(seat);
    }
  }
}
