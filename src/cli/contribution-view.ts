import type { ContributorEvent, ContributorStatus, Occupation } from '../../mesh/contributor/events.ts';
import { escaped, printableWord } from '../errors/printable.ts';
import type { Earned } from './contribution.ts';
import { coreTime } from './output.ts';

/** What the terminal shows of a contributor: pure text, so that it can be tested without one. */
export interface View {
  readonly url: string;
  readonly node: string;
  readonly status: ContributorStatus;
  readonly earned?: Earned;
  /** What the account had when this process began. */
  readonly atFirst?: Earned;
}

const BAR = 20;

export function bar(share: number): string {
  const full = Number.isNaN(share) ? 0 : Math.round(Math.min(1, Math.max(0, share)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}

const rate = (perSecond: number): string =>
  perSecond >= 0.1
    ? `${perSecond.toPrecision(2)} segments/s`
    : `${(60 * perSecond).toPrecision(2)} segments/min`;

function occupationLine({
  run,
  kind,
  segment,
  through,
  share,
  segmentsPerSecond,
  waits,
}: Occupation): string {
  const what = { run: 'run    ', second: 'second ', third: 'third  ', confirm: 'confirm' }[kind];
  const where = through === undefined ? `segment ${segment}` : `segment ${segment} of …${through}`;
  const pace = waits ? 'waits for a thread' : rate(segmentsPerSecond);
  return `  ${what} ${printableWord(run)}  ${bar(share)} ${Math.floor(100 * share)} %  ${where}  ${pace}`;
}

/** The block that is drawn again and again, line by line. */
export function statusBlock({ url, node, status, earned, atFirst }: View): string[] {
  const { mode, answers, threads, occupations, spans, work, checks, losses } = status;
  const place = answers ? url : `${url} (does not answer; what runs goes on)`;
  const free = threads - occupations.filter(({ waits }) => !waits).length;
  return [
    `${mode} at ${place} as ${node.slice(0, 8)}…`,
    ...occupations.map(occupationLine),
    ...(free > 0 ? [`  ${free} of ${threads} threads free`] : []),
    `  shown ${spans} spans, ${coreTime(work)} of work; ${checks} checks`,
    ...(earned ? [earnedLine(earned, atFirst ?? earned)] : []),
    ...losses
      .slice(-2)
      .map(
        ({ run, reason }) => `  lost ${printableWord(run)}: ${lossWords[reason] ?? printableWord(reason)}`,
      ),
    ...(earned?.unpaid ?? [])
      .slice(0, 2)
      .map(({ run, reason }) => `  unpaid ${printableWord(run)}: ${escaped(reason)}`),
  ];
}

/** What an account has, and what it waits for. */
export const coinsLine = ({ coins, pending }: Pick<Earned, 'coins' | 'pending'>): string =>
  `${coins} coins in the account${pending === '0' ? '' : `, ${pending} when the jobs are over`}`;

function earnedLine({ workUnits, accepted, ...earned }: Earned, first: Earned): string {
  const credited = workUnits - first.workUnits;
  const since = credited >= 0n ? `credited ${coreTime(credited)} since the start` : 'coins were taken back';
  return `  accepted ${accepted} spans and checks; ${since}; ${coinsLine(earned)}`;
}

/** Why work is lost, for the words of the mesh. */
const lossWords: Readonly<Record<string, string>> = {
  ended: 'the run is over',
  fenced: 'another node goes on with it, or what it stood on was refuted',
  lapsed: 'the service heard nothing from this node for too long',
  settled: 'it was accepted from another node',
  'not-committed': 'what was shown is not what was committed to',
};

/** One event as a line, for where there is no terminal. */
export function eventLine(event: ContributorEvent): string {
  switch (event.kind) {
    case 'mode':
      return `mode ${event.mode}`;
    case 'service':
      return event.answers ? 'the service answers again' : 'the service does not answer; what runs goes on';
    case 'leased':
      return `runs ${printableWord(event.run)} from segment ${event.from}`;
    case 'span':
      return `shown ${printableWord(event.run)} segments ${event.from} to ${event.to}, ${coreTime(event.work)} of work`;
    case 'ended':
      return `ended ${printableWord(event.run)} with ${event.status === 1 ? 'a result' : `status ${event.status}`}`;
    case 'checking':
      return `checks ${printableWord(event.run)} segments ${event.from} to ${event.through} (${event.check} execution)`;
    case 'checked':
      return `checked ${printableWord(event.run)} segments ${event.from} to ${event.through}`;
    case 'lost':
      return `lost ${printableWord(event.run)}: ${lossWords[event.reason] ?? printableWord(event.reason)}`;
    case 'returned':
      return `gave back ${printableWord(event.run)}: ${printableWord(event.reason)}`;
  }
}

/** Of the node itself, whoever runs it. */
type Standing = 'left-elsewhere' | 'admitted' | 'not-admitted' | 'barred';

/** What `--json` says beside events. */
export type Notice =
  | ContributorEvent
  | { readonly kind: 'contributing'; readonly node: string }
  | { readonly kind: 'leaving' | 'left' | Standing }
  | ({ readonly kind: 'earned' } & Earned);

/** As JSON on one line; work as decimal text. */
export const noticeJson = (notice: Notice): string =>
  JSON.stringify(notice, (_, value) => (typeof value === 'bigint' ? String(value) : value));

/** A block of lines on a terminal that is drawn over itself; events scroll away above it. */
export class Block {
  readonly #stream: NodeJS.WriteStream;
  #drawn = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  draw(lines: readonly string[]): void {
    const width = (this.#stream.columns ?? 80) - 1;
    this.clear();
    this.#stream.write(lines.map((line) => `${[...line].slice(0, width).join('')}\n`).join(''));
    this.#drawn = lines.length;
  }

  clear(): void {
    if (this.#drawn > 0) this.#stream.write(`\x1b[${this.#drawn}A\x1b[J`);
    this.#drawn = 0;
  }
}
