import type { FastifyInstance } from 'fastify';
import { refuse } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { textOf } from '../../proof/bytes.ts';
import { REVERIFY_WORK } from '../../reverify/reverify.ts';
import { InFlight } from '../in-flight.ts';
import { refuseLargeStructure } from '../json-bodies.ts';
import { REQUEST_BODY } from '../options.ts';
import { errors, json, object, orNull, text } from '../schemas.ts';

/** A rerun takes a thread and its memory, so a stranger has one at a time, and all strangers a few. */
export const reruns = { ofAccount: 1, ofNode: 2, what: 'reruns under way', retryAfter: 5 } as const;

const integer = (description: string) => ({ type: 'integer', description });
const reverified = object({
  verdict: { type: 'string', enum: ['SOUND', 'NOT_SOUND', 'UNKNOWN_NODE', 'REVOKED'] },
  where: orNull(text('JSON pointer of the first fault.')),
  detail: text('What was found, in a sentence.'),
  agrees: orNull({
    type: 'boolean',
    description: 'Whether the rerun gave the same digests; null: not executed.',
  }),
  runs: integer('Executed again.'),
  segments: integer('Compared.'),
  statement: text('All of it in canonical JSON.'),
  note: text('Signed note (C2SP): svc-reverify-1, the statement, the signature of this node.'),
});

/** Verification and re-execution of a stranger's file, with a signed verdict (CMP-14). */
export function reverifyRoutes(app: FastifyInstance, node: ServiceNode): void {
  const underWay = new InFlight(reruns);
  app.register(async (scope) => {
    // The bytes are judged, not what a parser made of them: a member that stands twice is a fault of the file.
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
      done(null, body),
    );
    scope.post(
      '/api/svc/reverify',
      {
        bodyLimit: REQUEST_BODY,
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'reverify',
          summary: 'Verify an answer or a bundle, execute it again, and sign the verdict',
          description:
            `At most ${REQUEST_BODY / 2 ** 20} MiB and ${REVERIFY_WORK} work units; svc rerun does more on your ` +
            'machine. SOUND is said of what this node sealed, REVOKED of what it took back since; of what another ' +
            'sealed, UNKNOWN_NODE and whether the rerun agrees. An answer of this release is NOT_SOUND too where its ' +
            'solver asks for other runs or shows something else. Nothing is charged or logged.',
          tags: ['Proof'],
          body: { type: 'object', additionalProperties: true, description: 'svc-answer-1 or svc-bundle-1.' },
          response: {
            200: json(reverified, 'The verdict.'),
            ...errors([
              ...(['INVALID_INPUT', 'UNSUPPORTED', 'LIMIT_EXCEEDED', 'PAYLOAD_TOO_LARGE'] as const),
              ...(['UNSUPPORTED_MEDIA_TYPE', 'OVERLOADED', 'SHUTTING_DOWN', 'KERNEL_CRASHED'] as const),
            ]),
          },
        },
      },
      (request, reply) => {
        if (!(request.body instanceof Uint8Array))
          refuse('INVALID_INPUT', 'The body is empty; accepted: an answer or a bundle.', { field: 'body' });
        underWay.enter(request.ip, reply);
        refuseLargeStructure(textOf(request.body));
        return node.reverifier.reverify(request.body);
      },
    );
  });
}
