import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Contributor, ContributorOptions } from '../../../mesh/contributor/contributor.ts';
import type { ContributorEvent } from '../../../mesh/contributor/events.ts';
import { LEAST_MEMORY, type Mode } from '../../../mesh/desk.ts';
import type { Identity } from '../../../mesh/nats/nkey.ts';
import { systemClock } from '../../clock/clock.ts';
import { accountKey } from '../../main.ts';
import { fromHex } from '../../proof/bytes.ts';
import { Contribution, type Earned } from '../contribution.ts';
import { Block, coinsLine, eventLine, type Notice, noticeJson, statusBlock } from '../contribution-view.ts';
import { dataOption, examples, jsonOption } from '../options.ts';
import { ProgressLine, print, printError } from '../output.ts';
import { Readmission } from '../readmission.ts';
import { RemoteNode } from '../remote.ts';

interface ContributeOptions {
  readonly url: string;
  readonly key?: string;
  readonly data?: string;
  readonly threads: string;
  readonly memory: string;
  readonly mode: string;
  readonly json?: boolean;
}

const MIB = 2 ** 20;
const LEAST_MIB = LEAST_MEMORY / MIB;
const HALF_MIB = Math.max(LEAST_MIB, Math.floor(totalmem() / 2 / MIB));
/** Where `svc up --mesh` was killed and started again, the contributor before may still be leaving. */
const LEAVING_MS = 15_000;
const DRAW_MS = 250;
const EARNED_MS = 5000;
/** Between two looks why the node is idle. */
const IDLE_LOOK_MS = 5000;

/** `svc contribute`: this machine takes part in a mesh and earns coins. */
export function contributeVerb(program: Command): void {
  const command = program
    .command('contribute')
    .summary('take part in a mesh with this machine and earn coins')
    .description(
      'Takes runs and checks from a mesh, on as many threads and as much memory as its owner allows, until Ctrl-C. ' +
        'The node has a key of its own in the data folder, made on first use.',
    )
    .requiredOption('--url <url>', 'a service node of the mesh')
    .option('--key <key>', 'key of the account that earns (or SVC_KEY)')
    .addOption(
      new Option('--threads <count>', 'runs at once').default(String(availableParallelism()), 'every core'),
    )
    .addOption(
      new Option('--memory <MiB>', `memory of all runs together, ${LEAST_MIB} at least`).default(
        String(HALF_MIB),
        'half of the machine’s',
      ),
    )
    .option('--mode <mode>', 'contributing, idle or experimenting', 'contributing')
    .action(contribute);
  examples(
    jsonOption(dataOption(command)),
    ['SVC_KEY=svc_ak_… svc contribute --url http://127.0.0.1:8787 --threads 2 --memory 2048'],
    'Exit: 0 left, 1 not admitted or no mesh there, 2 not understood.',
  );
}

interface Offer {
  readonly threads: number;
  readonly memory: number;
  readonly mode: Mode;
}

/** @throws RangeError for what is no number of threads or MiB, and no mode */
function offerOf({ threads, memory, mode }: ContributeOptions): Offer {
  const modes: readonly Mode[] = ['contributing', 'idle', 'experimenting'];
  const known = modes.find((each) => each === mode);
  if (!known)
    throw new RangeError(`--mode is ${JSON.stringify(mode)}; it is contributing, idle or experimenting.`);
  return {
    threads: countOf('--threads', threads, 1, 256),
    memory: countOf('--memory', memory, LEAST_MIB, 2 ** 22) * MIB,
    mode: known,
  };
}

function countOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(`${name} is ${JSON.stringify(text)}; it is a whole number from ${least} to ${most}.`);
}

async function contribute(options: ContributeOptions): Promise<void> {
  const offer = offerOf(options);
  const remote = new RemoteNode(options.url, accountKey(options.key));
  const [{ settings }, { aloneWith }, { contributorIdentity }, { KernelCache }, { ThreadPool }] =
    await Promise.all([
      import('../../main.ts'),
      import('../../store/embedded/alone.ts'),
      import('../../../mesh/contributor/identity.ts'),
      import('../../../mesh/contributor/kernel-cache.ts'),
      import('../../../workers/pool.ts'),
    ]);
  const folder = join(settings({ data: options.data }).node.dataDir, 'contributor');
  const lock = aloneWith(
    join(folder, 'contributor.lock'),
    (holder) =>
      `${holder} contributes with the key in ${folder} already: end it, or name another folder with --data.`,
    process.channel && LEAVING_MS,
  );
  const identity = contributorIdentity(folder);
  const kernels = new KernelCache(folder);
  const pool = new ThreadPool({ threads: offer.threads, catalogue: kernels.catalogue, inline: [] });
  try {
    await takePart({
      options,
      offer,
      contribution: new Contribution(remote, identity),
      identity,
      kernels,
      pool,
    });
  } finally {
    await pool.close();
    lock.close();
  }
}

interface Parts {
  readonly options: ContributeOptions;
  readonly offer: Offer;
  readonly contribution: Contribution;
  readonly identity: Identity;
  readonly kernels: ContributorOptions['kernels'];
  readonly pool: ContributorOptions['pool'];
}

async function takePart({ options, offer, contribution, identity, kernels, pool }: Parts): Promise<void> {
  const ended = leaving();
  const admission = await admitted(contribution, offer, pool, kernels, options.json ?? false);
  const [{ NatsDesk }, { Contributor }, { ContributorVoice }, { engineName }] = await Promise.all([
    import('../../../mesh/nats/desk.ts'),
    import('../../../mesh/contributor/contributor.ts'),
    import('../../../mesh/gossip/contributor-voice.ts'),
    import('../../../mesh/contributor/identity.ts'),
  ]);
  await contribution.switchTo(offer.mode);
  const { threads, memory, mode } = offer;
  const presence = { engine: engineName(), cores: threads, memory };
  const desk = await NatsDesk.open({ servers: admission.nats, identity, service: admission.nkey, presence });
  const screen = new Screen(options, identity.id);
  const contributor = new Contributor({
    ...{ desk, bells: desk, pool, kernels, threads, memory, mode },
    onEvent: (event) => screen.tell(event),
  });
  desk.listen(contributor);
  contributor.start();
  const voice = new ContributorVoice({
    ...{ bus: desk.bus, identity, key: fromHex(admission.handshake), presence },
    ...{ mode: () => contributor.status.mode, now: systemClock().now },
  });
  voice.start();
  const readmission = new Readmission({
    contribution,
    admit: () => contribution.admit({ cores: threads, memory }, pool, kernels, () => undefined),
    say: (notice, line) => screen.say(notice, line),
  });
  const idle = setInterval(() => contributor.status.mode === 'idle' && readmission.look(), IDLE_LOOK_MS);
  screen.begin(contributor, contribution);
  await ended;
  clearInterval(idle);
  await readmission.stop();
  voice.stop();
  screen.say({ kind: 'leaving' }, 'leaving: shows what is committed and gives the rest back');
  await contributor.leave();
  await contribution.leave().catch(() => undefined); // the service may be gone; leases lapse by themselves
  await desk.close();
  await screen.end();
}

/** The self-test, with its progress. */
async function admitted(
  contribution: Contribution,
  { threads: cores, memory }: Offer,
  pool: Parts['pool'],
  kernels: Parts['kernels'],
  asJson: boolean,
) {
  const line = new ProgressLine();
  const note = (text: string) => (asJson ? printError(text) : print(text));
  note('self-test: the service compares what this engine computes with what others do');
  try {
    const admission = await contribution.admit({ cores, memory }, pool, kernels, (done, of) =>
      line.show(`self-test: ${done} of ${of}`),
    );
    line.clear();
    note('admitted');
    return admission;
  } finally {
    line.clear();
  }
}

/**
 * Resolves with the first SIGINT or SIGTERM, or when the process that started this one for itself (`svc up --mesh`) is
 * gone; the second signal ends the process as it stands.
 */
function leaving(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    const asked = () => {
      if (isAsked) process.exit(1);
      isAsked = true;
      resolve();
    };
    process.on('SIGINT', asked);
    process.on('SIGTERM', asked);
    process.once('disconnect', asked);
    process.channel?.unref(); // it does not keep this process
  });
}

/** What stays on a terminal above the block. */
const stays: ReadonlySet<Notice['kind']> = new Set([
  ...(['contributing', 'leaving', 'left-elsewhere', 'admitted', 'not-admitted', 'barred'] as const),
]);

/** What the owner sees: a block on a terminal, lines elsewhere, JSON lines where they are asked for. */
class Screen {
  readonly #options: ContributeOptions;
  readonly #node: string;
  readonly #block: Block | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #contributor: Contributor | undefined;
  #contribution: Contribution | undefined;
  #earned: Earned | undefined;
  #atFirst: Earned | undefined;

  constructor(options: ContributeOptions, node: string) {
    this.#options = options;
    this.#node = node;
    this.#block = process.stdout.isTTY && !options.json ? new Block(process.stdout) : undefined;
  }

  begin(contributor: Contributor, contribution: Contribution): void {
    this.#contributor = contributor;
    this.#contribution = contribution;
    this.say({ kind: 'contributing', node: this.#node }, `takes part as ${this.#node}`);
    void this.#look();
    this.#timers.push(setInterval(() => void this.#look(), EARNED_MS));
    if (this.#block) this.#timers.push(setInterval(() => this.#draw(), DRAW_MS));
  }

  tell(event: ContributorEvent): void {
    this.say(event, eventLine(event));
  }

  say(event: Notice, line: string): void {
    if (this.#options.json) print(noticeJson(event));
    else if (!this.#block) print(line);
    else if (stays.has(event.kind)) {
      this.#block.clear();
      print(line);
      this.#draw();
    }
  }

  async #look(): Promise<void> {
    const earned = await this.#contribution?.earned().catch(() => undefined);
    if (!earned) return;
    this.#atFirst ??= earned;
    const isNews =
      earned.accepted !== this.#earned?.accepted ||
      earned.coins !== this.#earned.coins ||
      earned.unpaid[0]?.at !== this.#earned.unpaid[0]?.at;
    this.#earned = earned;
    if (isNews && this.#options.json) print(noticeJson({ kind: 'earned', ...earned }));
    else if (isNews && !this.#block)
      print(`accepted ${earned.accepted} spans and checks; ${coinsLine(earned)}`);
  }

  #draw(): void {
    if (!this.#block || !this.#contributor) return;
    const { url } = this.#options;
    const shown = { url, node: this.#node, status: this.#contributor.status };
    this.#block.draw(statusBlock({ ...shown, earned: this.#earned, atFirst: this.#atFirst }));
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#look();
    this.#draw();
    this.say({ kind: 'left' }, 'left');
  }
}
