import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { dataOption, examples } from '../options.ts';
import { print } from '../output.ts';

/** Longer than any small job: what is under way ends, what is recorded goes on with the next start. */
const DRAIN_MS = 30_000;

interface UpOptions {
  readonly port?: string;
  readonly host?: string;
  readonly data?: string;
}

export function upVerb(program: Command): void {
  const up = program
    .command('up')
    .summary('run a node in the foreground')
    .description('Runs a node in the foreground until SIGTERM or SIGINT, then drains.')
    .option('--port <port>', 'port to listen on; 0 for any that is free (SVC_PORT; default 8787)')
    .option('--host <host>', 'address to listen on (SVC_HOST; default 127.0.0.1)')
    .action(start);
  dataOption(up);
  examples(
    up,
    ['svc up --port 8787 --data ./data', 'curl http://127.0.0.1:8787/api/identity'],
    'Exit: 0 drained, 1 could not start, 2 a setting is not understood or a folder cannot be used.',
  );
}

async function start(options: UpOptions): Promise<void> {
  const [{ default: closeWithGrace }, { serve }, { settings }, { ServiceNode }] = await Promise.all([
    import('close-with-grace'),
    import('../../http/server.ts'),
    import('../../main.ts'),
    import('../../node.ts'),
  ]);
  const { node: nodeConfig, http } = settings(options);
  const node = await ServiceNode.open({ ...nodeConfig, settlingThread: availableParallelism() > 1 });
  const server = await serve(node, http).catch(async (error) => {
    await node.close();
    throw error;
  });
  print(`listening on ${server.url}`);
  closeWithGrace({ delay: DRAIN_MS, logger: server.app.log }, () => server.close());
}
