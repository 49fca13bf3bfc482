import { join } from 'node:path';
import type { Command } from 'commander';
import { examples, jsonOption } from '../options.ts';
import { print, printJson } from '../output.ts';

interface ConfigOptions {
  readonly host: string;
  readonly port: string;
  readonly folder: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly json?: boolean;
}

/** `svc mesh …`: what runs beside the service nodes of a mesh. */
export function meshVerb(program: Command): void {
  const mesh = program.command('mesh').summary('what a mesh of several machines needs');
  const config = mesh
    .command('config')
    .summary('print the configuration of its NATS server')
    .description(
      'Prints what nats-server (2.11 or newer) is started with. Its keys are made from SVC_MESH_SECRET; it holds public ones only.',
    )
    .option('--host <host>', 'address that the server listens on', '0.0.0.0')
    .option('--port <port>', 'its port', '4222')
    .option('--folder <dir>', 'where JetStream keeps its files', join('.', 'jetstream'))
    .option('--tls-cert <file>', 'certificate in PEM; without it connections are not encrypted')
    .option('--tls-key <file>', 'its key')
    .option('--tls-ca <file>', 'the authority that signed it')
    .action(printConfig);
  examples(jsonOption(config), [
    'svc mesh config --tls-cert cert.pem --tls-key key.pem > nats.conf',
    'nats-server -c nats.conf',
  ]);
  examples(mesh, ['svc mesh config > nats.conf']);
}

async function printConfig(options: ConfigOptions): Promise<void> {
  const { host, port, folder, tlsCert, tlsKey, tlsCa } = options;
  const [{ settings }, { serverConfig }, { deploymentKeys }, { utf8 }] = await Promise.all([
    import('../../main.ts'),
    import('../../../mesh/nats/server-config.ts'),
    import('../../../mesh/nats/keys.ts'),
    import('../../proof/bytes.ts'),
  ]);
  const secret = settings().node.gossip?.secret;
  if (!secret) throw new RangeError('SVC_MESH_SECRET is not set: the keys of the mesh are made from it.');
  if (!/^\d{1,5}$/.test(port))
    throw new RangeError(`--port is ${JSON.stringify(port)}; it is a port number.`);
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new RangeError('--tls-cert and --tls-key go together.');
  const tls =
    tlsCert && tlsKey
      ? { tls: { certFile: tlsCert, keyFile: tlsKey, ...(tlsCa ? { caFile: tlsCa } : {}) } }
      : {};
  const keys = deploymentKeys(utf8(secret));
  const text = serverConfig({ keys, host, port: Number(port), folder, ...tls }).trimEnd();
  if (options.json) printJson({ config: text });
  else print(text);
}
