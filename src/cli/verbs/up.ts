import closeWithGrace from 'close-with-grace';
import type { Command } from 'commander';
import { serve } from '../../http/server.ts';
import { settings } from '../../main.ts';
import { ServiceNode } from '../../node.ts';
import { print } from '../output.ts';

const DRAIN_MS = 30_000;

export function upVerb(program: Command): void {
  program
    .command('up')
    .summary('run a node in the foreground')
    .description('Runs a node in the foreground until SIGTERM or SIGINT, then drains.')
    .option('--port <port>', 'port to listen on; 0 for any that is free (SVC_PORT; default 8787)')
    .option('--host <host>', 'address to listen on (SVC_HOST; default 127.0.0.1)')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .addHelpText(
      'after',
      '\nExample:\n  svc up --port 8787 --data ./data\n  curl http://127.0.0.1:8787/api/identity',
    )
    .action(async (options: { port?: string; host?: string; data?: string }) => {
      const { node: nodeConfig, http } = settings(options);
      const node = await ServiceNode.open(nodeConfig);
      const server = await serve(node, http);
      print(`listening on ${server.url}`);
      closeWithGrace({ delay: DRAIN_MS, logger: server.app.log }, () => server.close());
    });
}
