import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** How a command ended, and what it said. */
export interface Ended {
  /** -1 where the program died of it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Program = ChildProcessByStdio<Writable, Readable, null>;

interface Running {
  readonly child: Program;
  readonly lines: Interface;
  /** What is answered to the command in which it dies: waited for once, however many commands there are. */
  readonly died: Promise<Ended>;
}

/**
 * A program that is loaded once and then runs one command after another, where starting it anew takes longer than what
 * it is asked: it reads a JSON list of arguments from each line, and answers with an `Ended` as JSON in a line.
 */
export class WarmProgram {
  readonly #start: () => Program;
  #running: Running | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param env beside that of the tests */
  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#start = () =>
      spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  }

  /** Runs a command when those before it have ended. */
  run(args: readonly string[]): Promise<Ended> {
    const ended = this.#last.then(() => this.#run(args));
    this.#last = ended.catch(() => {});
    return ended;
  }

  async #run(args: readonly string[]): Promise<Ended> {
    const { child, lines, died } = this.#program();
    hold(child, true);
    child.stdin.write(`${JSON.stringify(args)}\n`);
    const answered = once(lines, 'line').then(([line]) => JSON.parse(line) as Ended);
    const ended = await Promise.race([answered, died]);
    hold(child, false);
    return ended;
  }

  #program(): Running {
    if (this.#running) return this.#running;
    const child = this.#start();
    child.stdin.on('error', () => {}); // of one that died; `exit` says so
    const died = once(child, 'exit').then(([code, signal]) => {
      this.#running = undefined;
      return { code: -1, stdout: '', stderr: `the program died: ${signal ?? code}` };
    });
    this.#running = { child, lines: createInterface(child.stdout), died };
    return this.#running;
  }
}

/** Whether the program keeps this process alive; it ends when this one does, at the end of its input. */
function hold(child: Program, isHeld: boolean): void {
  const handles = [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[];
  for (const handle of handles) isHeld ? handle.ref() : handle.unref();
}
