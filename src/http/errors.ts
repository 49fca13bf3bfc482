import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../errors/catalogue.ts';
import { printable } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { SEND_BLOBS } from './json-bodies.ts';
import { methodsByPath } from './methods.ts';
import { BLOB_BODY, BODY, REQUEST_BODY } from './options.ts';

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
  403: 'NOT_FOUND', // a path that leads out of the files of a page
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'INVALID_INPUT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
};

const MIB = 2 ** 20;
const TOO_LARGE =
  `A body is at most ${BODY / MIB} MiB, on solver and quote routes ${REQUEST_BODY / MIB} MiB, a blob ` +
  `${BLOB_BODY / MIB} MiB; ${SEND_BLOBS}`;

const MEDIA_TYPE = 'A body is sent as Content-Type: application/json, a blob as application/octet-stream.';
const NO_JSON = 'The body is no JSON; accepted: a JSON object.';
const EMPTY_BODY = 'The body is empty; accepted: a JSON object.';
const BAD_PATH =
  'The path is not percent-encoded (RFC 3986, 2.1), or a name in it is longer than 100 characters.';

/** Where nothing else is said, a node that is away may be asked again after a second. */
const RETRY_AFTER_S = 1;

/** Any error as the refusal that the client sees; what is not expected says nothing of its inside. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code, message, validation, statusCode } = error as Partial<FastifyError>;
  if (validation) return invalid(error as FastifyError);
  const known =
    fastifyCodes[code ?? ''] ?? (statusCode && statusCode < 500 ? byStatus[statusCode] : undefined);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('PAYLOAD_TOO_LARGE', TOO_LARGE);
  if (code === 'FST_ERR_BAD_URL') return new Refusal('INVALID_INPUT', BAD_PATH);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('UNSUPPORTED_MEDIA_TYPE', MEDIA_TYPE);
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY')
    return new Refusal('INVALID_INPUT', EMPTY_BODY, { field: 'body' });
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new Refusal('INVALID_INPUT', NO_JSON, { field: 'body' });
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

/**
 * Unknown paths are 404, and known ones with another method 405; both count against the rate limit too. To be called
 * once the limit is registered, and before the routes.
 */
export function registerNotFound(app: FastifyInstance, isLimited: boolean): void {
  const limit = isLimited ? { preHandler: app.rateLimit() } : {};
  const methodsOf = methodsByPath(app);
  app.setNotFoundHandler(limit, (request, reply) => {
    const path = pathOf(request);
    const what = `${request.method} ${printable(path)}`;
    const methods = methodsOf(path);
    if (methods.length === 0)
      return sendRefusal(request, reply, new Refusal('NOT_FOUND', `There is no ${what} here.`));
    const sentence = `There is no ${what} here; this path takes ${methods.join(', ')}.`;
    const refusal = new Refusal('METHOD_NOT_ALLOWED', sentence, { accepts: methods });
    return sendRefusal(request, reply.header('allow', methods.join(', ')), refusal);
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
