import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';

/** What Node's HTTP parser gives up on, before there is a request. */
const codes: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The header fields are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'The chunk extensions are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive whole in time.'],
};

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/** Node keeps the response that is being written beside its socket; nothing may be written into it. */
const isAnswering = (socket: Socket): boolean =>
  (socket as Socket & { _httpMessage?: { _headerSent?: boolean } | null })._httpMessage?._headerSent === true;

/** Answers bytes that are no HTTP request in the one shape of errors, and hangs up. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [code, sentence] = codes[error.code ?? ''] ?? ['INVALID_INPUT', 'This is no HTTP/1.1 request.'];
  const refusal = new Refusal(code, sentence);
  const requestId = crypto.randomUUID();
  const body = JSON.stringify({ error: { ...refusal.toJSON().error, request_id: requestId } });
  socket.end(
    `HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? 'Bad Request'}\r\n` +
      `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** HTTP/1.1 wants exactly one Host (RFC 9112 §3.2); more than one Node has joined or dropped by now. */
export function registerHostRule(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') return done();
    done(new Refusal('INVALID_INPUT', 'An HTTP/1.1 request has a Host header.', { field: 'Host' }));
  });
}

/** Of expectations only that of an answer before the body is met (RFC 9110 §10.1.1); Node's own 417 has no body. */
export function registerExpectRule(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, _, done) => {
    const { expect } = request.headers;
    if (expect === undefined || expect.toLowerCase() === '100-continue') return done();
    const accepts = '100-continue, or no Expect header';
    done(
      new Refusal('EXPECTATION_FAILED', `What is expected cannot be met; accepted: ${accepts}.`, {
        ...{ field: 'Expect', accepts },
      }),
    );
  });
}

/** A body is read as it was sent: none that is packed is unpacked (RFC 9110 §8.4). */
export function registerEncodingRule(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (encoding === 'identity' || !hasBody(request)) return done();
    const accepts = 'identity, or no Content-Encoding header';
    done(
      new Refusal('UNSUPPORTED_MEDIA_TYPE', `A body is taken unpacked only; accepted: ${accepts}.`, {
        ...{ field: 'Content-Encoding', accepts },
      }),
    );
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
