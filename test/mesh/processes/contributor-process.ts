import { Contributor } from '../../../mesh/contributor/contributor.ts';
import { KernelCache } from '../../../mesh/contributor/kernel-cache.ts';
import { NatsDesk } from '../../../mesh/nats/desk.ts';
import { identityOf } from '../../../mesh/nats/nkey.ts';
import type { Executor } from '../../../workers/executor.ts';
import { ThreadPool } from '../../../workers/pool.ts';
import { LyingPool } from '../liar.ts';

// A contributor as a process of its own, with a key that the test knows, so that it is admitted by hand; and the only
// one that can lie: on SIGUSR2 it begins to. What it does is said line by line.

export interface ContributorConfig {
  readonly nats: string;
  /** Public nkey of the service. */
  readonly service: string;
  readonly seed: number;
  readonly folder: string;
  readonly engine: string;
  /** Absent: honest. Otherwise it lies in every span from SIGUSR2 on; until then it runs nothing, or is honest. */
  readonly lies?: 'throughout' | 'later';
  /** Default 250. */
  readonly spanMs?: number;
  /** Each segment is shown before the next one begins, as where they take half a second, however short they are. */
  readonly showsEach?: boolean;
  /** It says that it is ready, and nothing else: what it says takes processor time. */
  readonly isQuiet?: boolean;
}

/** What it says: an event of the contributor, or which segments of which run its threads have done. */
export type Said =
  | { readonly kind: 'ready' }
  /** `svc contribute` takes part. */
  | { readonly kind: 'contributing'; readonly node: string }
  /** From here on what it shows is false. */
  | { readonly kind: 'lies' }
  | { readonly kind: 'at'; readonly run: string; readonly segment: number }
  | { readonly kind: 'leased'; readonly run: string; readonly from: number }
  | {
      readonly kind: 'span';
      readonly run: string;
      readonly from: number;
      readonly to: number;
      readonly work: string;
    }
  | { readonly kind: 'lost'; readonly run: string; readonly reason: string }
  | { readonly kind: 'checking' | 'checked' | 'ended' | 'returned' | 'service' | 'mode' };

/** How finely it says where its threads are. */
const PROGRESS_MS = 20;
const MEMORY = 2 ** 32;

const say = (said: object): void => {
  process.stdout.write(
    `${JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`,
  );
};

async function main(config: ContributorConfig): Promise<void> {
  const { nats, service, seed, folder, engine, lies, spanMs, showsEach, isQuiet } = config;
  const identity = identityOf('user', new Uint8Array(32).fill(seed));
  const presence = { engine, cores: 1, memory: MEMORY };
  const desk = await NatsDesk.open({ servers: nats, identity, service, presence, patienceMs: 60_000 });
  const honest = new ThreadPool({ threads: 1 });
  const pool = lies ? lyingWhenTold(honest, lies === 'throughout') : honest;
  const contributor = new Contributor({
    ...{ desk, bells: desk, pool, kernels: new KernelCache(folder), spanMs },
    ...(showsEach && { spanMs: 0, joinMs: 0, holdMs: 0, longMs: 0 }),
    ...{ threads: 1, memory: MEMORY, mode: 'contributing', ...(!isQuiet && { onEvent: say }) },
  });
  desk.listen(contributor);
  // Who hears that it is ready may send it away at once.
  process.once('SIGTERM', () => void leave(contributor, desk));
  contributor.start();
  say({ kind: 'ready' });
  if (!isQuiet) setInterval(() => sayWhere(contributor), PROGRESS_MS);
}

/** @param waits whether it runs nothing before */
function lyingWhenTold(honest: Executor, waits: boolean): Executor {
  const liar = new LyingPool(honest, Number.POSITIVE_INFINITY);
  const told = new Promise<void>((resolve) => {
    process.once('SIGUSR2', () => {
      liar.from = 0;
      say({ kind: 'lies' });
      resolve();
    });
  });
  return {
    execute: async (spec, options) => {
      if (waits) await told;
      return liar.execute(spec, options);
    },
    close: () => liar.close(),
  };
}

const said = new Map<string, number>();

function sayWhere({ status }: Contributor): void {
  for (const { run, kind, segment } of status.occupations) {
    if (kind !== 'run' || said.get(run) === segment) continue;
    said.set(run, segment);
    say({ kind: 'at', run, segment });
  }
}

async function leave(contributor: Contributor, desk: NatsDesk): Promise<void> {
  await contributor.leave();
  await desk.close();
  process.exit(0);
}

await main(JSON.parse(process.argv[2]!) as ContributorConfig);
