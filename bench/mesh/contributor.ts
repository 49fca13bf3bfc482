import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { NatsServer } from '../../mesh/nats/server.ts';
import type { ContributorConfig } from '../../test/mesh/processes/contributor-process.ts';
import { keys } from './deployment.ts';

const entry = fileURLToPath(new URL('../../test/mesh/processes/contributor-process.js', import.meta.url));

/** A contributor with one thread as a process of its own, once it takes work; one that lies does so from the start. */
export async function contribute(
  nats: NatsServer,
  folder: string,
  options: Pick<ContributorConfig, 'seed' | 'lies' | 'spanMs'>,
): Promise<ChildProcess> {
  const config: ContributorConfig = {
    ...{ nats: nats.url, service: keys.service.id, folder, engine: `engine-${options.seed}` },
    isQuiet: true,
    ...options,
  };
  const child = fork(entry, [JSON.stringify(config)], { silent: true });
  child.stderr!.pipe(process.stderr);
  await once(child.stdout!, 'data');
  child.stdout!.resume();
  if (options.lies) child.kill('SIGUSR2');
  return child;
}
