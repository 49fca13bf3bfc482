import type { FastifyInstance } from 'fastify';
import type { ServiceNode } from '../node.ts';
import { buildApp } from './app.ts';
import type { HttpOptions } from './options.ts';

export interface RunningServer {
  /** Such as `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Stops listening, lets what runs end, and lets go of the node. */
  close(): Promise<void>;
}

/** Listens, and resolves when GET /health/ready answers 200. */
export async function serve(node: ServiceNode, options: HttpOptions): Promise<RunningServer> {
  const app = await buildApp(node, options);
  await node.startRecovery((error) => app.log.error({ err: error }, 'a fault beside the requests'));
  await app.listen({ host: options.host, port: options.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    app,
    close: async () => {
      await app.close();
      await node.close();
    },
  };
}
