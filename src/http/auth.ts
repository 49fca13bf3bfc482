import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { Refusal } from '../errors/refusal.ts';
import { Throttle } from './throttle.ts';

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
/** Keys that are refused, from one address in a minute; a valid key passes whatever its neighbours do. */
const FAILURES_PER_MINUTE = 60;

/** Routes with `config: {key: true}` answer 401 without a valid account key, and 429 where many were wrong. */
export function registerAuth(app: FastifyInstance, accounts: Accounts): void {
  const throttle = new Throttle(FAILURES_PER_MINUTE);
  app.decorateRequest('zid', '');
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.key) request.zid = await zidOf(request, accounts, throttle);
  });
}

async function zidOf(request: FastifyRequest, accounts: Accounts, throttle: Throttle): Promise<string> {
  const header = request.headers.authorization;
  const key = BEARER.exec(header ?? '')?.[1];
  const zid = key && (await accounts.zidOfKey(key));
  if (zid) return zid;
  const retryAfter = throttle.failed(request.ip);
  if (retryAfter !== undefined)
    throw new Refusal('RATE_LIMITED', `Too many keys were refused; try again in ${retryAfter} s.`, {
      retryAfter,
    });
  if (header === undefined)
    throw new Refusal('UNAUTHORIZED', 'This route needs the header Authorization: Bearer svc_ak_….');
  throw new Refusal('UNAUTHORIZED', 'This key is malformed, unknown or revoked.');
}
