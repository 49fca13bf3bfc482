import type { Test } from 'tap';
import type { Front } from '../../../mesh/front.ts';
import { Bus, type BusStatus } from '../../../mesh/nats/bus.ts';
import { NatsDesk } from '../../../mesh/nats/desk.ts';
import { NatsFront } from '../../../mesh/nats/front.ts';
import { deploymentKeys } from '../../../mesh/nats/keys.ts';
import { type Identity, identityOf } from '../../../mesh/nats/nkey.ts';
import { serverConfig } from '../../../mesh/nats/server-config.ts';
import type { StreamLimits } from '../../../mesh/nats/streams.ts';
import { type NatsServer, startNats } from '../../servers/nats.ts';

export const keys = deploymentKeys(new Uint8Array(32).fill(9));
export const nodeOf = (number: number): Identity => identityOf('user', new Uint8Array(32).fill(number));
export const presence = { engine: 'v8-11.3 x64', cores: 2, memory: 2 ** 30 };

export const limits: StreamLimits = {
  ...{ jobsBytes: 4 << 20, resultsBytes: 32 << 20, partsBytes: 64 << 20, segmentsBytes: 64 << 20 },
};

/** A nats-server as the mesh runs it. */
export async function meshServer(t: Test, restarts = false): Promise<NatsServer> {
  const whole = (port: number, folder: string) => serverConfig({ keys, port, folder: `${folder}/jetstream` });
  const server = await startNats({ whole, restarts });
  t.teardown(() => server.stop());
  return server;
}

export interface ServiceOptions {
  readonly isAdmitted?: (node: string) => Promise<boolean>;
  readonly limits?: StreamLimits;
  readonly pressureMs?: number;
  readonly front?: Partial<Front>;
  readonly onError?: (error: unknown) => void;
  readonly now?: () => bigint;
}

/** What a service node answers where a test does not say otherwise. */
const plainFront: Front = {
  asked: async () => 0,
  leases: async (_, runs) => runs.map((run) => ({ run, refused: 'unknown' })),
  alive: async () => ({ mode: 'contributing', lost: [] }),
  release: async () => {},
  results: async (batch) => batch.map(() => 'kept'),
  bytesFor: async () => undefined,
};

/** A service node that lets nodes in and does not listen to them yet. */
export async function silentService(
  t: Test,
  { url }: NatsServer,
  options: Omit<ServiceOptions, 'front'> = {},
): Promise<Omit<NatsFront, 'serve'> & { serve(front: Partial<Front>): void }> {
  const front = await NatsFront.open({
    ...{
      servers: url,
      keys,
      limits,
      isAdmitted: async () => true,
      now: () => BigInt(Date.now()) * 1_000_000n,
    },
    onError: (error) => t.fail(`the service: ${error}`),
    ...options,
  });
  t.teardown(() => front.close());
  const serve = front.serve.bind(front);
  return Object.assign(front, { serve: (own: Partial<Front>) => serve({ ...plainFront, ...own }) });
}

/** A service node; its errors fail the test. */
export async function service(t: Test, server: NatsServer, options: ServiceOptions = {}) {
  const { front = {}, ...rest } = options;
  const opened = await silentService(t, server, rest);
  opened.serve(front);
  return opened;
}

export async function desk(
  t: Test,
  { url }: NatsServer,
  identity: Identity,
  onStatus?: (status: BusStatus) => void,
  service: string = keys.service.id,
): Promise<NatsDesk> {
  const opened = await NatsDesk.open({ servers: url, identity, service, presence, onStatus });
  t.teardown(() => opened.close());
  return opened;
}

/** A connection of a contributor that does as it likes. */
export async function hostile(t: Test, { url }: NatsServer, identity: Identity): Promise<Bus> {
  const bus = await Bus.connect({ servers: url, identity, name: 'hostile' });
  t.teardown(() => bus.close());
  return bus;
}
