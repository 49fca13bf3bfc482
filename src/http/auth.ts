import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { Refusal } from '../errors/refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that the bearer key speaks for; empty on routes without one. */
    zid: string;
  }
  interface FastifyContextConfig {
    /** The route needs a bearer key (AUTH-01). */
    readonly key?: boolean;
  }
}

const BEARER = /^Bearer ([\w-]{1,200})$/i;

/** Routes with `config: {key: true}` answer 401 without a valid account key. */
export function registerAuth(app: FastifyInstance, accounts: Accounts): void {
  app.decorateRequest('zid', '');
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.key) request.zid = await zidOf(request, accounts);
  });
}

async function zidOf(request: FastifyRequest, accounts: Accounts): Promise<string> {
  const header = request.headers.authorization;
  if (header === undefined)
    throw new Refusal('UNAUTHORIZED', 'This route needs the header Authorization: Bearer svc_ak_….');
  const key = BEARER.exec(header)?.[1];
  const zid = key && (await accounts.zidOfKey(key));
  if (!zid) throw new Refusal('UNAUTHORIZED', 'This key is malformed, unknown or revoked.');
  return zid;
}
