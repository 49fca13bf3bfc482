import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { mayReadBlob } from '../../spine/job-blobs.ts';
import { blobBytes } from '../../store/blobs.ts';
import type { Usage } from '../../uploads/uploads.ts';
import { withKey } from '../openapi.ts';
import { BLOB_BODY } from '../options.ts';
import { bytes, decimal, digest, errors, json, object, orNull, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const params = Type.Object({
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' }),
});
const route = (operationId: string, summary: string, response: Record<number, unknown>) => ({
  operationId,
  summary,
  tags: ['Proof'],
  security: withKey,
  response,
});
const octets = { type: 'string', format: 'binary', description: 'The bytes, up to 64 MiB.' };
const blobReference = object({
  $blob: text('sha256: and 64 hexadecimal digits.'),
  length: { type: 'integer' },
});
const used = {
  used_bytes: { type: 'integer', description: 'Of the quota; a blob counts as at least 4096.' },
  limit_bytes: { type: 'integer', description: 'The quota.' },
};
const usage = object(used);
const uploads = object({
  blobs: {
    type: 'array',
    items: object({
      sha256: digest('Its name.'),
      length: { type: 'integer' },
      review_ns: orNull(decimal('Unix nanoseconds: when it goes, unless a job names it.')),
    }),
  },
  total: { type: 'integer', description: 'How many there are in all.' },
  ...used,
});

const usageJson = ({ usedBytes, limitBytes }: Usage) => ({
  used_bytes: usedBytes,
  limit_bytes: limitBytes,
});

/** Bytes by their digest, for those who put them or whose answers name them (docs/store.md, 'Blobs'). */
export function blobRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = typed(plain);

  app.get(
    '/api/svc/blobs/:sha256',
    {
      config: { key: true },
      schema: {
        ...route('blob', 'A blob that this account put or that one of its answers names', {
          200: bytes('The bytes.'),
          ...errors(['INVALID_INPUT', 'NOT_FOUND'], { key: true }),
        }),
        params,
      },
    },
    async (request, reply) => {
      const { sha256 } = request.params;
      const isOwn = await mayReadBlob(node.store, request.zid, sha256);
      const blob = isOwn ? await blobBytes(node.store, sha256) : undefined;
      if (!blob)
        throw new Refusal('NOT_FOUND', 'This account has no blob with this digest, and no answer names one.');
      return reply
        .type('application/octet-stream')
        .send(Buffer.from(blob.buffer, blob.byteOffset, blob.length));
    },
  );

  app.put(
    '/api/svc/blobs',
    {
      config: { key: true },
      bodyLimit: BLOB_BODY,
      validatorCompiler: () => () => true, // bytes are any bytes
      schema: {
        ...route('blob_put', 'Keeps bytes under their digest, for `{"$blob": "sha256:…"}` in a request', {
          201: json(blobReference, 'What a request names it by.'),
          ...errors(['LIMIT_EXCEEDED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'OVERLOADED'], {
            key: true,
          }),
        }),
        body: { content: { 'application/octet-stream': { schema: octets } } },
      },
    },
    async (request, reply) => {
      if (!Buffer.isBuffer(request.body))
        throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'A blob is sent as application/octet-stream.');
      const sha256 = await node.uploads.put(request.zid, request.body);
      return reply.code(201).send({ $blob: `sha256:${sha256}`, length: request.body.length });
    },
  );

  app.get(
    '/api/svc/blobs',
    {
      config: { key: true },
      schema: {
        ...route('blobs', 'Blobs that this account put, and how much of its quota they take', {
          200: json(uploads, 'One page.'),
          ...errors(['INVALID_INPUT'], { key: true }),
        }),
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e9, default: 0 }),
        }),
      },
    },
    async (request) => {
      const { rows, total, ...usage } = await node.uploads.list(request.zid, request.query);
      const blobs = rows.map((row) => ({
        sha256: row.digest,
        length: Number(row.length),
        review_ns: row.review_ns === null ? null : String(row.review_ns),
      }));
      return { blobs, total, ...usageJson(usage) };
    },
  );

  app.delete(
    '/api/svc/blobs/:sha256',
    {
      config: { key: true },
      schema: {
        ...route('blob_delete', 'Takes an own blob back that no job names, and frees its quota', {
          200: json(usage, 'It is gone for this account; what its other uploads take.'),
          ...errors(['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'], { key: true }),
        }),
        params,
      },
    },
    async (request) => {
      await node.uploads.delete(request.zid, request.params.sha256);
      return usageJson(await node.uploads.usage(request.zid));
    },
  );
}
