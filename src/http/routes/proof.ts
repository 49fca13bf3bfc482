import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { logProofText } from '../../proof/checkpoint.ts';
import { blobBytes, blobLength, putBlob } from '../../store/blobs.ts';
import { engineVersion } from '../../version.ts';
import { withKey } from '../openapi.ts';
import { LARGE_BODY } from '../options.ts';

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' });
const size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const tags = ['Proof'];
/** What is named by its digest never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

function missing(what: string): never {
  throw new Refusal('NOT_FOUND', `There is no ${what} here.`);
}

export function proofRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();

  app.get('/api/identity', { schema: { summary: 'Name and public key of this node', tags } }, async () => ({
    node: node.name,
    vkey: node.vkey,
    algorithm: 'Ed25519',
    engine_version: engineVersion,
    checkpoint: (await node.log.checkpoint(node.store)) ?? null,
  }));

  app.get(
    '/api/svc/log/checkpoint',
    { schema: { summary: 'The signed head of the log (C2SP tlog-checkpoint)', tags } },
    async (_, reply) => {
      const text = (await node.log.checkpoint(node.store)) ?? missing('checkpoint: the log is empty');
      return reply.type('text/plain; charset=utf-8').send(text);
    },
  );

  app.get(
    '/api/svc/log/proof/:index',
    {
      schema: {
        summary: 'Inclusion proof of a leaf against the newest checkpoint (C2SP tlog-proof)',
        tags,
        params: Type.Object({ index: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
      },
    },
    async (request, reply) => {
      const { index } = request.params;
      const proof = (await node.log.proof(node.store, index)) ?? missing(`leaf ${index}`);
      return reply.type('text/plain; charset=utf-8').send(logProofText(proof));
    },
  );

  app.get(
    '/api/svc/log/consistency',
    {
      schema: {
        summary:
          'Proof that the log of `second` leaves continues the log of `first` leaves (RFC 6962 §2.1.2)',
        tags,
        querystring: Type.Object({ first: size, second: size }),
      },
    },
    async (request) => {
      const { first, second } = request.query;
      const last = await node.log.proof(node.store, second - 1);
      if (!last || first > second) missing(`log of ${Math.max(first, second)} leaves`);
      return { first, second, path: await node.log.consistency(node.store, first, second) };
    },
  );

  app.get(
    '/api/svc/kernels/:sha256',
    {
      schema: {
        summary: 'A kernel, a WebAssembly module, by its digest',
        tags,
        params: Type.Object({ sha256 }),
      },
    },
    (request, reply) => {
      const bytes = node.catalogue.bytes(request.params.sha256) ?? missing('kernel with this digest');
      return reply.type('application/wasm').header('cache-control', FOREVER).send(Buffer.from(bytes));
    },
  );

  app.get(
    '/api/svc/blobs/:sha256',
    {
      config: { key: true },
      schema: {
        summary: 'Bytes by their digest: long parameters, run lists and fields that an answer names',
        tags,
        security: withKey,
        params: Type.Object({ sha256 }),
      },
    },
    async (request, reply) => {
      const { sha256: digest } = request.params;
      const bytes = (await blobBytes(node.store, digest)) ?? missing('blob with this digest');
      return reply.type('application/octet-stream').send(Buffer.from(bytes));
    },
  );

  app.put(
    '/api/svc/blobs',
    {
      config: { key: true },
      bodyLimit: LARGE_BODY,
      schema: {
        summary: 'Keeps bytes under their digest, for `{"$blob": "sha256:…"}` in a request',
        tags,
        security: withKey,
        consumes: ['application/octet-stream'],
      },
    },
    async (request, reply) => {
      if (!Buffer.isBuffer(request.body))
        throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'A blob is sent as application/octet-stream.');
      const digest = await putBlob(node.store, request.body);
      const length = await blobLength(node.store, digest);
      return reply.code(201).send({ $blob: `sha256:${digest}`, length });
    },
  );
}
