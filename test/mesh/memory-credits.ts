import type { CreditedWork, Credits } from '../../mesh/coordinator/ports.ts';
import { overlap, owed, type PaidWork } from '../../mesh/decide/pay.ts';

type Line = PaidWork & { readonly node: string; readonly run: string };
type Refuted = Pick<Parameters<Credits['takeBack']>[1], 'node' | 'run' | 'from' | 'through'>;

export const lineRules = { owed, overlap };

/** What was paid for segments of runs, to whom, and what of it was taken back. */
export class PayLines<L extends Line> {
  readonly all: (L & { isTakenBack: boolean })[] = [];
  readonly #rules: typeof lineRules;

  constructor(rules = lineRules) {
    this.#rules = rules;
  }

  add(line: L): void {
    this.all.push({ ...line, isTakenBack: false });
  }

  /** @returns what of it nobody is paid for any more, and is paid now */
  addAgain(line: L): PaidWork[] {
    const parts = this.#rules.owed(
      line,
      this.all.filter(({ run }) => run === line.run),
    );
    for (const part of parts) this.add({ ...line, ...part });
    return parts;
  }

  takeBack({ node, run, from, through = Number.POSITIVE_INFINITY }: Refuted) {
    const refuted = { from, to: through };
    const taken = this.all.filter(
      (line) =>
        !line.isTakenBack && line.node === node && line.run === run && this.#rules.overlap(line, refuted),
    );
    for (const line of taken) line.isTakenBack = true;
    return taken;
  }
}

/** A list of what would stand in the books. */
export class MemoryCredits implements Credits {
  readonly credited: CreditedWork[] = [];
  readonly withheld: string[] = [];
  /** Node, first and last segment. */
  readonly takenBack: [string, number, number][] = [];
  readonly lines = new PayLines<CreditedWork & { readonly counter: bigint }>();

  credit(_: unknown, work: CreditedWork): Promise<void> {
    this.credited.push(work);
    if (work.kind === 'segment') this.lines.add({ ...work, counter: work.counter! });
    return Promise.resolve();
  }

  creditAgain(_: unknown, work: CreditedWork & { readonly counter: bigint }): Promise<bigint> {
    const parts = this.lines.addAgain(work);
    for (const part of parts) this.credited.push({ ...work, ...part });
    return Promise.resolve(parts.reduce((sum, part) => sum + part.work, 0n));
  }

  withhold(_: unknown, { node }: { readonly node: string }): Promise<void> {
    this.withheld.push(node);
    return Promise.resolve();
  }

  takeBack(_: unknown, refuted: Refuted) {
    const taken = this.lines.takeBack(refuted);
    for (const { node, from, to } of taken) this.takenBack.push([node, from, to]);
    return Promise.resolve(taken);
  }
}
