import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { type PageFile, pageFiles } from '../page-files.ts';

/**
 * What the page may do: run, style and ask what this node serves, and nothing else. No script and no style stands in
 * the HTML, and no text becomes markup (Trusted Types refuse it where a browser has them).
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const FOREVER = 'public, max-age=31536000, immutable';

/** The page of the operators, where a person looks one up, computes it and verifies what came back. */
export function pageRoutes(app: FastifyInstance): void {
  const hidden = { schema: { hide: true } };

  app.get('/', hidden, (_, reply) => reply.redirect('/docs/operators'));

  app.get('/docs/operators', hidden, (request, reply) => {
    const { version, page } = pageFiles();
    const tag = `"${version}"`;
    reply.headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-cache', etag: tag });
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return send(request, reply, page);
  });

  app.get<{ Params: { version: string; '*': string } }>(
    '/docs/assets/:version/*',
    hidden,
    (request, reply) => {
      const { version, assets } = pageFiles();
      const file = request.params.version === version ? assets.get(request.params['*']) : undefined;
      if (!file) throw new Refusal('NOT_FOUND', 'There is no such file of a page here.');
      return send(request, reply.header('cache-control', FOREVER), file);
    },
  );
}

function send(request: FastifyRequest, reply: FastifyReply, { type, bytes, gzip }: PageFile): FastifyReply {
  reply.type(type).header('vary', 'Origin, Accept-Encoding');
  const isPacked = gzip !== undefined && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  return isPacked ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(bytes);
}
