import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InFlight, type InFlightLimits } from './in-flight.ts';
import { BODY } from './options.ts';

export const largeBodies: InFlightLimits = {
  ofAccount: 4,
  ofNode: 16,
  what: `requests with bodies above ${BODY / 2 ** 20} MiB under way`,
  retryAfter: 1,
};

/**
 * A body is in memory from its first byte to the answer, so only a few large ones are let in at once: of one account,
 * and of all. Who says no length is taken for large. To be registered behind the key, which names the account.
 */
export function registerLargeBodies(app: FastifyInstance): void {
  const underWay = new InFlight(largeBodies);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.key || !isLarge(request)) return done();
    try {
      underWay.enter(request.zid, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function isLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY;
}
