import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { dataOption, examples, jsonOption } from '../options.ts';
import { print } from '../output.ts';

/** Longer than any small job: what is under way ends, what is recorded goes on with the next start. */
const DRAIN_MS = 30_000;

/**
 * V8 turns an access of WebAssembly beyond its memory into a trap by these signals. A listener of our own would stand
 * before it, and the thread would fault at the same instruction for ever.
 */
const FAULTS = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP', 'SIGFPE', 'SIGABRT'] as const;

interface UpOptions {
  readonly port?: string;
  readonly host?: string;
  readonly data?: string;
  readonly nats?: string;
  readonly mesh?: string;
  readonly json?: boolean;
}

export function upVerb(program: Command): void {
  const up = program
    .command('up')
    .summary('run a node in the foreground')
    .description('Runs a node in the foreground until SIGTERM or SIGINT, then drains.')
    .option('--port <port>', 'port to listen on; 0 for any that is free (SVC_PORT; default 8787)')
    .option('--host <host>', 'address to listen on (SVC_HOST; default 127.0.0.1)')
    .option('--nats <urls>', 'NATS servers of the mesh, with commas (SVC_NATS_URL; needs SVC_MESH_SECRET)')
    .option('--mesh <n>', 'a whole mesh on this machine to try out: nats-server, this node, n contributors')
    .action(start);
  jsonOption(dataOption(up));
  examples(
    up,
    [
      'svc up --port 8787 --data ./data',
      'curl http://127.0.0.1:8787/api/identity',
      'svc up --mesh 2 --data ./data',
    ],
    'Exit: 0 drained, 1 could not start, 2 a setting is not understood or a folder cannot be used.',
  );
}

async function start(options: UpOptions): Promise<void> {
  const [{ default: closeWithGrace }, { serve }, { settings }, { ServiceNode }, { lostIdentity }] =
    await Promise.all([
      import('close-with-grace'),
      import('../../http/server.ts'),
      import('../../main.ts'),
      import('../../node.ts'),
      import('../../spine/lost-identity.ts'),
    ]);
  const mesh = options.mesh === undefined ? undefined : await beginMesh(options);
  const { node: nodeConfig, http } = settings({ ...options, ...mesh?.overrides });
  try {
    const node = await ServiceNode.open({ ...nodeConfig, settlingThread: availableParallelism() > 1 });
    const server = await serve(node, http).catch(async (error) => {
      await node.close();
      throw error;
    });
    const lost = nodeConfig.mongo ? undefined : await lostIdentity(node.store, node.name);
    if (lost) server.app.log.warn(lost);
    const { name, vkey } = node;
    if (options.json)
      print(JSON.stringify({ listening: server.url, node: name, vkey })); // one line, as it begins
    else print(`listening on ${server.url}`);
    await mesh?.contribute(node, server.url);
    closeWithGrace({ delay: DRAIN_MS, logger: server.app.log, skip: [...FAULTS] }, async ({ err }) => {
      if (err) server.app.log.fatal({ err }, 'an error that nobody caught ends this node');
      await mesh?.leave();
      await server.close();
      await mesh?.stop();
    });
  } catch (error) {
    await mesh?.stop();
    throw error;
  }
}

async function beginMesh(options: UpOptions) {
  const [{ LocalMesh }, { settings }] = await Promise.all([
    import('../local-mesh.ts'),
    import('../../main.ts'),
  ]);
  const { node, natsServer } = settings({ data: options.data });
  const { mesh: count, json } = options;
  return LocalMesh.begin({ count: count!, dataDir: node.dataDir, natsServer, ...(json ? { json } : {}) });
}
