import type { FastifyInstance } from 'fastify';
import { kernelsDrift } from '../../../workers/rerun-releases.ts';
import { countedRegistry, hasDrifted, releasedRegistry } from '../../operators/release.ts';
import { solvers } from '../../solvers/registry.ts';
import { engineVersion } from '../../version.ts';
import { errors, json, object, orNull, text } from '../schemas.ts';

const tags = ['Operators'];
const integer = (description: string) => ({ type: 'integer', description });
const boolean = (description: string) => ({ type: 'boolean', description });
const conformance = object({
  registry_version: text('Of the operators that run here.'),
  corpus_sha256: text('SHA-256 over their files.'),
  registry_drift: boolean('Whether they are other ones than the released.'),
  released: orNull(object({ registry_version: text('Of the release.'), corpus_sha256: text('Its digest.') })),
  operators: integer('How many.'),
  categories: integer('Of operators.'),
  examples: integer('Worked examples whose values come from elsewhere.'),
  engine_version: text('Of kernels and solvers.'),
  solvers: integer('How many.'),
  kernels_drift: boolean('Whether the kernels are other ones than those released under this version.'),
});

/** What runs here, beside what was released: neither changes while the process lives. */
function measured() {
  const running = countedRegistry();
  const released = releasedRegistry();
  return {
    ...running,
    registry_drift: hasDrifted(running, released),
    released: released ?? null,
    engine_version: engineVersion,
    solvers: solvers.length,
    kernels_drift: kernelsDrift(),
  };
}

/** The registry held against its release (OP-05), as JSON and as a badge (OP-06). */
export function conformanceRoutes(app: FastifyInstance): void {
  let known: ReturnType<typeof measured> | undefined;
  const standing = () => {
    known ??= measured();
    return known;
  };
  app.get(
    '/api/svc/conformance',
    {
      schema: {
        operationId: 'conformance',
        summary:
          'Version and digest of the operators, and whether they or the kernels differ from the release',
        tags,
        response: { 200: json(conformance, 'What runs here.'), ...errors([]) },
      },
    },
    standing,
  );
  app.get(
    '/api/conformance/badge.svg',
    {
      schema: {
        operationId: 'conformance_badge',
        summary: 'The same as a badge',
        tags,
        response: {
          200: {
            description: 'An image.',
            content: { 'image/svg+xml': { schema: { type: 'string' } } },
          },
          ...errors([]),
        },
      },
    },
    (_, reply) => reply.type('image/svg+xml; charset=utf-8').send(badge(standing())),
  );
}

const LETTER = 6.5;
const PAD = 6;
const HEIGHT = 20;
const GREEN = '#2e7d32';
const ORANGE = '#b45309';

/** Two fields side by side; letters are given the width that they take in the font that is there. */
function badge({ registry_version, operators, registry_drift, kernels_drift }: ReturnType<typeof measured>) {
  const hasDrift = registry_drift || kernels_drift;
  const [label, value] = [
    'conformance',
    hasDrift ? `drift from ${registry_version}` : `${registry_version} · ${operators} operators`,
  ];
  const [left, right] = [label, value].map((word) => Math.ceil(word.length * LETTER) + 2 * PAD) as [
    number,
    number,
  ];
  const words = (x: number, width: number, word: string) =>
    `<text x="${x}" y="14" textLength="${width - 2 * PAD}" lengthAdjust="spacingAndGlyphs">${word}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img">`,
    `<title>${label}: ${value}</title>`,
    `<rect width="${left}" height="${HEIGHT}" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${hasDrift ? ORANGE : GREEN}"/>`,
    '<g fill="#fff" font-family="sans-serif" font-size="11">',
    words(PAD, left, label),
    words(left + PAD, right, value),
    '</g></svg>\n',
  ].join('');
}
