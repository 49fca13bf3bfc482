import type { Command } from 'commander';
import { escaped } from '../../errors/printable.ts';
import { accountKey } from '../../main.ts';
import { examples } from '../options.ts';
import { coreTime, print, printJson } from '../output.ts';
import { RemoteNode, type Shape } from '../remote.ts';

interface Options {
  readonly url: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** What /api/contribute/status answers, as far as it is shown. */
interface Standing {
  readonly mode: string;
  readonly bond: {
    readonly state: string;
    readonly coins: number;
    readonly days_remaining: number;
  };
  readonly verdicts: readonly { readonly verdict: string; readonly node: string; readonly coins: number }[];
  readonly nodes: readonly { readonly node: string; readonly state: string; readonly mode: string }[];
  readonly credits: { readonly coins: string };
}

interface Line {
  readonly node: string;
  readonly run: string;
  readonly from_segment: string;
  readonly to_segment?: string;
  readonly kind?: string;
  readonly work: string;
  readonly coins?: string;
  readonly at_ns: string;
  readonly reason: string | null;
}

interface Earnings {
  readonly coins: string;
  readonly paid: { readonly total: number; readonly lines: readonly Line[] };
  readonly unpaid: { readonly total: number; readonly lines: readonly Line[] };
}

const shapeOfStanding: Shape = {
  mode: 'text',
  bond: { state: 'text', coins: 'number' },
  verdicts: [{ verdict: 'text', node: 'text' }],
  nodes: [{ node: 'text', state: 'text' }],
  credits: { coins: 'text' },
};

const lines: Shape = {
  total: 'number',
  lines: [{ run: 'text', from_segment: 'text', work: 'count', at_ns: 'count' }],
};
const shapeOfEarnings: Shape = { coins: 'text', paid: lines, unpaid: lines };

const DEFAULT_URL = 'http://127.0.0.1:8787';

/** `svc bond`, `mode` and `earnings`: what an account has at stake, does and earned as a contributor. */
export function contributionVerbs(program: Command): void {
  const bond = program.command('bond').summary('put coins at stake as a contributor, and take them back');
  bondVerb(bond, 'show', 'bond, nodes and credits of the account', (remote) =>
    remote.json(shapeOfStanding, 'GET', path('status')),
  );
  bondVerb(bond, 'place', 'mark 1,000 envelopes immovable, for 30 days', (remote) =>
    remote.json(shapeOfStanding, 'POST', path('bond')),
  );
  bondVerb(bond, 'release', 'end the bond; nothing moves', (remote) =>
    remote.json(shapeOfStanding, 'POST', path('release')),
  );
  examples(bond, ['SVC_KEY=svc_ak_… svc bond show']);
  modeVerb(program);
  earningsVerb(program);
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const path = (verb: string): string => `/api/contribute/${verb}`;

const remoteOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'the node', DEFAULT_URL)
    .option('--key <key>', 'account key (or SVC_KEY)')
    .option('--json', 'print JSON');

const remoteOf = ({ url, key }: Options): RemoteNode => new RemoteNode(url, accountKey(key));

function bondVerb(
  bond: Command,
  name: string,
  summary: string,
  ask: (remote: RemoteNode) => Promise<Standing>,
): void {
  const command = bond
    .command(name)
    .summary(summary)
    .action(async (options: Options) => {
      const standing = await ask(remoteOf(options));
      if (options.json) printJson(standing);
      else for (const line of standingLines(standing)) print(line);
    });
  examples(remoteOptions(command), [`SVC_KEY=svc_ak_… svc bond ${name}`]);
}

function standingLines({ bond, mode, verdicts, nodes, credits }: Standing): string[] {
  const rest = { bonded: `, ${bond.days_remaining} days remaining`, withheld: ' by a verdict' };
  const stake = bond.coins > 0 ? `${bond.coins} coins ${bond.state}` : bond.state;
  return [
    `${stake}${rest[bond.state as keyof typeof rest] ?? ''}; mode ${mode}; ${credits.coins} coins earned`,
    ...nodes.map(({ node, state, mode }) => `  ${node}  ${state === 'admitted' ? mode : state}`),
    ...verdicts.map(
      ({ verdict, node, coins }) => `  verdict ${escaped(verdict)} against ${node}: ${coins} coins withheld`,
    ),
  ];
}

function modeVerb(program: Command): void {
  const command = program
    .command('mode')
    .summary('switch the nodes of an account: idle, contributing or experimenting')
    .argument('<mode>', 'idle, contributing or experimenting')
    .option('--node <nkey>', 'this node only')
    .action(async (mode: string, options: Options & { node?: string }) => {
      const { node } = options;
      const switched = await remoteOf(options).json<{ mode: string; nodes: string[] }>(
        { mode: 'text', nodes: 'list' },
        'POST',
        path('mode'),
        { mode, node },
      );
      if (options.json) printJson(switched);
      else print(`${switched.mode}: ${counted(switched.nodes.length, 'node')} switched`);
    });
  examples(remoteOptions(command), ['SVC_KEY=svc_ak_… svc mode contributing']);
}

function earningsVerb(program: Command): void {
  const command = program
    .command('earnings')
    .summary('what an account earned as a contributor, and what was not paid, line by line')
    .option('--limit <count>', 'at most so many of either kind, 1 to 200', '50')
    .option('--offset <count>', 'leave out so many of the newest', '0')
    .option('--node <nkey>', 'of this node only')
    .action(async (options: Options & { limit: string; offset: string; node?: string }) => {
      const { limit, offset, node } = options;
      const query = new URLSearchParams({ limit, offset, ...(node === undefined ? {} : { node }) });
      const earnings = await remoteOf(options).json<Earnings>(
        shapeOfEarnings,
        'GET',
        `${path('earnings')}?${query}`,
      );
      if (options.json) return printJson(earnings);
      for (const line of earnings.paid.lines) print(lineText(line));
      for (const line of earnings.unpaid.lines) print(lineText(line));
      const { coins, paid, unpaid } = earnings;
      print(`${coins} coins; ${counted(paid.total, 'line')} paid, ${unpaid.total} not`);
    });
  examples(remoteOptions(command), ['SVC_KEY=svc_ak_… svc earnings --limit 20']);
}

function lineText(line: Line): string {
  const when = new Date(Number(BigInt(line.at_ns) / 1_000_000n)).toISOString();
  const segments =
    line.to_segment === undefined ? line.from_segment : `${line.from_segment}–${line.to_segment}`;
  const what = line.coins === undefined ? 'not paid' : `${line.coins} coins`;
  const why = line.reason === null ? '' : `: ${escaped(line.reason)}`;
  return `${when}  ${line.kind ?? 'segment'} ${segments} of ${escaped(line.run)}  ${coreTime(line.work)}  ${what}${why}`;
}
