import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPeers } from '../mesh/gossip/peers.ts';
import type { Whereabouts } from '../mesh/nats/server.ts';
import type { HttpOptions } from './http/options.ts';
import { workPerCoin } from './ledger/coins.ts';
import type { GossipConfig } from './node/gossip.ts';
import type { NodeConfig } from './node.ts';

/** The one place that reads the environment: ports are wired to adapters by what stands here. */
export interface Settings {
  readonly node: NodeConfig;
  readonly http: HttpOptions;
  /** Where a nats-server may be found, for `svc up --mesh`. */
  readonly natsServer: Whereabouts;
}

/** What the command line gives; it goes before the environment. */
export interface Overrides {
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
  /** URLs of NATS servers, with commas. */
  readonly nats?: string;
  /** Where SVC_LOG_LEVEL says nothing. */
  readonly logLevel?: string;
  /** In place of SVC_MESH_SECRET. */
  readonly secret?: string;
}

/** Of a checkout: where `npm test` keeps servers. */
const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

type Environment = Readonly<Record<string, string | undefined>>;

/** The account key for a node that is asked: the one that is given, or SVC_KEY. */
export const accountKey = (given?: string, { SVC_KEY }: Environment = process.env): string | undefined =>
  given ?? SVC_KEY;

/**
 * docs/operating.md, 'Settings', says what each variable means.
 *
 * @throws RangeError with a sentence for a value that is not understood
 */
export function settings(overrides: Overrides = {}, environment: Environment = process.env): Settings {
  const dataHome = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  const dataDir = overrides.data ?? (environment.SVC_DATA_DIR || join(dataHome, 'proofmesh'));
  const uri = environment.SVC_MONGODB_URI;
  const database = environment.SVC_MONGODB_DATABASE || 'proofmesh';
  const threads = optionalInteger('SVC_THREADS', environment.SVC_THREADS, 1, 1024);
  const quotaMib = optionalInteger('SVC_UPLOAD_QUOTA_MIB', environment.SVC_UPLOAD_QUOTA_MIB, 0, 2 ** 30);
  return {
    node: {
      dataDir,
      ...(uri ? { mongo: { uri, database } } : {}),
      ...(threads ? { threads } : {}),
      ...(quotaMib === undefined ? {} : { uploadQuotaBytes: quotaMib * 2 ** 20 }),
      contribute: contributeSettings(environment),
      gossip: gossipSettings(overrides, environment),
      ...meshSettings(overrides, environment),
    },
    http: {
      host: overrides.host ?? (environment.SVC_HOST || '127.0.0.1'),
      port: integer('port', overrides.port ?? (environment.SVC_PORT || '8787'), 0, 65_535),
      logLevel: oneOf('SVC_LOG_LEVEL', environment.SVC_LOG_LEVEL || overrides.logLevel || 'info', logLevels),
      requestsPerMinute:
        optionalInteger('SVC_REQUESTS_PER_MINUTE', environment.SVC_REQUESTS_PER_MINUTE, 0, 1e9) ?? 6000,
      ...(environment.SVC_METRICS_TOKEN ? { metricsToken: environment.SVC_METRICS_TOKEN } : {}),
    },
    natsServer: { given: environment.NATS_SERVER || undefined, path: environment.PATH, root: repositoryRoot },
  };
}

function contributeSettings(environment: Environment): NodeConfig['contribute'] {
  const required = oneOf('SVC_BOND_REQUIRED', environment.SVC_BOND_REQUIRED || 'no', ['yes', 'no']);
  const coins = optionalInteger('SVC_FREE_COINS_PER_DAY', environment.SVC_FREE_COINS_PER_DAY, 0, 1_000_000);
  return {
    bondRequired: required === 'yes',
    ...(coins === undefined ? {} : { freeWorkPerDay: BigInt(coins) * workPerCoin }),
  };
}

const SECRET_LENGTH = { least: 32, most: 1024 };

function gossipSettings(overrides: Overrides, environment: Environment): GossipConfig {
  const { SVC_MESH_PEERS: peers } = environment;
  const secret = environment.SVC_MESH_SECRET || overrides.secret;
  if (!secret) {
    if (peers)
      throw new RangeError('SVC_MESH_PEERS needs SVC_MESH_SECRET: without it nothing is said to peers.');
    return {};
  }
  const { least, most } = SECRET_LENGTH;
  if (secret.length < least || secret.length > most)
    throw new RangeError(`SVC_MESH_SECRET has ${secret.length} characters; it has ${least} to ${most}.`);
  return { secret, peers: peers ? peersOf(peers) : [] };
}

const policies = ['none', 'sampled', 'full'] as const;

function meshSettings(overrides: Overrides, environment: Environment): Pick<NodeConfig, 'mesh'> {
  const urls = (overrides.nats ?? environment.SVC_NATS_URL ?? '').split(',').filter((url) => url !== '');
  if (urls.length === 0) return {};
  const { secret } = gossipSettings(overrides, environment);
  if (!secret) throw new RangeError('SVC_NATS_URL needs SVC_MESH_SECRET: its keys are made from it.');
  for (const url of urls)
    if (!/^(nats|tls|ws|wss):\/\/[^\s/]+$/.test(url))
      throw new RangeError(
        `SVC_NATS_URL: ${JSON.stringify(url)} is no address such as nats://10.0.0.1:4222.`,
      );
  const policy = oneOf('SVC_MESH_POLICY', environment.SVC_MESH_POLICY || 'sampled', policies);
  return { mesh: { nats: urls, secret, policy, advertised: environment.SVC_NATS_ADVERTISED || undefined } };
}

function peersOf(text: string): string[] {
  try {
    return readPeers(text);
  } catch (error) {
    throw new RangeError(`SVC_MESH_PEERS: ${(error as Error).message}.`);
  }
}

function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw new RangeError(`${name} is ${JSON.stringify(text)}; it is one of ${words.join(', ')}.`);
}

function optionalInteger(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  return text ? integer(name, text, least, most) : undefined;
}

function integer(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(`${name} is ${JSON.stringify(text)}; it is a whole number from ${least} to ${most}.`);
}
