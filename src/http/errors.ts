import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../errors/catalogue.ts';
import { printable } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';

/** What Fastify itself refuses, in the words of the catalogue. */
const fastifyCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_INPUT',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_INPUT',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_INPUT',
};

const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
};

/** Where nothing else is said, a node that is away may be asked again after a second. */
const RETRY_AFTER_S = 1;

/** Any error as the refusal that the client sees; what is not expected says nothing of its inside. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code, message, validation, statusCode } = error as Partial<FastifyError>;
  if (validation) return invalid(error as FastifyError);
  const known =
    fastifyCodes[code ?? ''] ?? (statusCode && statusCode < 500 ? byStatus[statusCode] : undefined);
  if (known) return new Refusal(known, `${message ?? known}.`.replace('..', '.'));
  return new Refusal('INTERNAL', 'Something broke on our side; the request id leads to it in the log.');
}

function invalid(error: FastifyError): Refusal {
  const first = error.validation![0]!;
  const field = `${error.validationContext ?? 'body'}${first.instancePath.replaceAll('/', '.')}`;
  return new Refusal('INVALID_INPUT', `${field} ${first.message}.`, { field });
}

/** Every error leaves as `{"error": {code, message, request_id, …}}`. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status >= 500) request.log.error({ err: error }, refusal.code);
    return sendRefusal(request, reply, refusal);
  });
}

/** Unknown paths count against the rate limit too. To be called once the limit is registered. */
export function registerNotFound(app: FastifyInstance, isLimited: boolean): void {
  const limit = isLimited ? { preHandler: app.rateLimit() } : {};
  app.setNotFoundHandler(limit, (request, reply) => {
    const what = `${request.method} ${printable(pathOf(request))}`;
    return sendRefusal(request, reply, new Refusal('NOT_FOUND', `There is no ${what} here.`));
  });
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { retryAfter = refusal.status === 503 ? RETRY_AFTER_S : undefined } = refusal.details;
  if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter);
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  const { error } = refusal.toJSON();
  const { inputError, ...rest } = error;
  return reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        ...(inputError === undefined ? {} : { inputError }),
        error: { ...rest, request_id: request.id },
      }),
    );
}

/** The path without its query, which may hold a token. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}
