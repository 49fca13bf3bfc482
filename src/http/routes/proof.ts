import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { logProofText } from '../../proof/checkpoint.ts';
import { engineVersion } from '../../version.ts';
import { bytes, errors, json, object, orNull, plainText, text } from '../schemas.ts';
import { type App, typed } from '../typed.ts';

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' });
const size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const tags = ['Proof'];
const identity = object({
  node: text('Its name.'),
  vkey: text('Verifier key in the form of C2SP signed-note.'),
  algorithm: text('Of the signature.'),
  engine_version: text('What it runs.'),
  checkpoint: orNull(text('Signed head of its log; null while it is empty.')),
});
const consistency = object({
  first: { type: 'integer' },
  second: { type: 'integer' },
  path: { type: 'array', items: { type: 'string' }, description: 'Hashes, base 64.' },
});
/** What is named by its digest never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

function missing(what: string): never {
  throw new Refusal('NOT_FOUND', `There is no ${what} here.`);
}

/** The node, its log and its kernels, for those who check what it sealed. */
export function proofRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = typed(plain);
  for (const add of [identityRoute, checkpointRoute, inclusionRoute, consistencyRoute, kernelRoute])
    add(app, node);
}

function identityRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/identity',
    {
      schema: {
        operationId: 'identity',
        summary: 'Name and public key of this node',
        tags,
        response: { 200: json(identity, 'What a verifier needs to know of this node.'), ...errors([]) },
      },
    },
    async () => ({
      node: node.name,
      vkey: node.vkey,
      algorithm: 'Ed25519',
      engine_version: engineVersion,
      checkpoint: (await node.log.checkpoint(node.store)) ?? null,
    }),
  );
}

function checkpointRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/log/checkpoint',
    {
      schema: {
        operationId: 'log_checkpoint',
        summary: 'The signed head of the log (C2SP tlog-checkpoint)',
        tags,
        response: { 200: plainText('A signed note.'), ...errors(['NOT_FOUND']) },
      },
    },
    async (_, reply) => {
      const text = (await node.log.checkpoint(node.store)) ?? missing('checkpoint: the log is empty');
      return reply.type('text/plain; charset=utf-8').send(text);
    },
  );
}

function inclusionRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/log/proof/:index',
    {
      schema: {
        operationId: 'log_proof',
        summary: 'Inclusion proof of a leaf against the newest checkpoint (C2SP tlog-proof)',
        tags,
        response: { 200: plainText('The proof.'), ...errors(['INVALID_INPUT', 'NOT_FOUND']) },
        params: Type.Object({ index: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
      },
    },
    async (request, reply) => {
      const { index } = request.params;
      const proof = (await node.log.proof(node.store, index)) ?? missing(`leaf ${index}`);
      return reply.type('text/plain; charset=utf-8').send(logProofText(proof));
    },
  );
}

function consistencyRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/log/consistency',
    {
      schema: {
        operationId: 'log_consistency',
        response: { 200: json(consistency, 'The proof.'), ...errors(['INVALID_INPUT', 'NOT_FOUND']) },
        summary:
          'Proof that the log of `second` leaves continues the log of `first` leaves (RFC 6962 §2.1.2)',
        tags,
        querystring: Type.Object({ first: size, second: size }),
      },
    },
    async (request) => {
      const { first, second } = request.query;
      if (first > second)
        throw new Refusal(
          'INVALID_INPUT',
          `first is ${first} and second is ${second}: a log continues one that is no longer than itself.`,
          { field: 'first', accepts: `at most ${second}` },
        );
      const last = await node.log.proof(node.store, second - 1);
      if (!last) missing(`log of ${second} leaves`);
      return { first, second, path: await node.log.consistency(node.store, first, second) };
    },
  );
}

function kernelRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/kernels/:sha256',
    {
      schema: {
        operationId: 'kernel',
        summary: 'A kernel, a WebAssembly module, by its digest',
        tags,
        response: {
          200: bytes('The module.', 'application/wasm'),
          ...errors(['INVALID_INPUT', 'NOT_FOUND']),
        },
        params: Type.Object({ sha256 }),
      },
    },
    (request, reply) => {
      const kernel = node.catalogue.bytes(request.params.sha256) ?? missing('kernel with this digest');
      return reply.type('application/wasm').header('cache-control', FOREVER).send(Buffer.from(kernel));
    },
  );
}
