import { MESSAGE_BYTES } from './frame.ts';
import type { DeploymentKeys } from './keys.ts';

/** The one account of the mesh; its users are the service, and whoever the service lets in. */
export const MESH_ACCOUNT = 'MESH';

export interface ServerConfig {
  readonly keys: DeploymentKeys;
  /** Default 127.0.0.1: another machine reaches it only where that is wanted. */
  readonly host?: string;
  /** −1: the system gives a free one. Default 4222. */
  readonly port?: number;
  /** Where JetStream keeps its files. */
  readonly folder: string;
  /** Most bytes of streams on disk and in memory. Defaults 8 GiB and 256 MiB. */
  readonly fileBytes?: number;
  readonly memoryBytes?: number;
  /** How often what is written reaches the disk. The store is the truth, so NATS' default of two minutes will do. */
  readonly sync?: 'always' | string;
  /** Files in PEM; without them connections are not encrypted. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile?: string };
}

const quoted = (text: string): string => JSON.stringify(text);

/**
 * The file that nats-server (2.11 or newer) is started with. It holds public keys only: the service's and the issuer's.
 * Everybody else is asked for at the service (auth callout).
 */
export function serverConfig(config: ServerConfig): string {
  const { keys, host = '127.0.0.1', port = 4222, folder } = config;
  const { fileBytes = 8 * 1024 ** 3, memoryBytes = 256 * 1024 ** 2, sync } = config;
  return `${[
    `listen: ${quoted(`${host}:${port}`)}`,
    `max_payload: ${MESSAGE_BYTES + HEADROOM}`,
    'jetstream {',
    `  store_dir: ${quoted(folder)}`,
    `  max_file_store: ${fileBytes}`,
    `  max_memory_store: ${memoryBytes}`,
    ...(sync ? [`  sync_interval: ${sync}`] : []),
    '}',
    ...accounts(keys),
    ...tlsLines(config.tls),
  ].join('\n')}\n`;
}

/** Headers of a message beside its payload. */
const HEADROOM = 64 * 1024;

/** Within it a service node must have said whether a node comes in, on a machine that may be busy. */
const ADMISSION_SECONDS = 5;

function accounts({ service, issuer, system }: DeploymentKeys): string[] {
  return [
    'accounts {',
    `  ${MESH_ACCOUNT} { jetstream: enabled, users: [ { nkey: ${service.id} } ] }`,
    `  SYS { users: [ { nkey: ${system.id} } ] }`,
    '}',
    'system_account: SYS',
    'authorization {',
    `  timeout: ${ADMISSION_SECONDS}`,
    '  auth_callout {',
    `    issuer: ${issuer.id}`,
    `    account: ${MESH_ACCOUNT}`,
    `    auth_users: [ ${service.id}, ${system.id} ]`,
    '  }',
    '}',
  ];
}

function tlsLines(tls: ServerConfig['tls']): string[] {
  if (!tls) return [];
  const ca = tls.caFile ? [`  ca_file: ${quoted(tls.caFile)}`] : [];
  return ['tls {', `  cert_file: ${quoted(tls.certFile)}`, `  key_file: ${quoted(tls.keyFile)}`, ...ca, '}'];
}
