// Requests whose runs several threads can share, by the kernel that has the twin; small ones that still have many blocks.

/** Bodies on a few shells, without a function of anybody's mathematics. */
function cluster(bodies: number, more: Record<string, unknown>): Record<string, unknown> {
  const spread = (i: number, prime: number) => ((i * prime) % 1009) / 1009 - 0.5;
  const points = (primes: readonly number[], size: number) =>
    Array.from({ length: bodies }, (_, i) => primes.map((prime) => size * spread(i + 1, prime)));
  return {
    position: points([337, 523, 719], 2),
    velocity: points([211, 97, 641], 0.5),
    mass: Array.from({ length: bodies }, (_, i) => (1 + (i % 7)) / (4 * bodies)),
    referenceMode: 'gravity',
    G: 1,
    softening: 0.05,
    ...more,
  };
}

export interface TeamRequest {
  readonly kernel: string;
  readonly solver: string;
  readonly title: string;
  readonly body: Record<string, unknown>;
}

const row = (kernel: string, solver: string, title: string, body: Record<string, unknown>): TeamRequest => ({
  kernel,
  solver,
  title,
  body,
});

export const teamRequests: readonly TeamRequest[] = [
  row('multibody', 'multibody', 'leapfrog', cluster(333, { dt: 0.01, t_max: 0.3, integrator: 'leapfrog' })),
  row('multibody', 'multibody', 'pefrl', cluster(200, { dt: 0.01, t_max: 0.1, integrator: 'pefrl' })),
  row(
    'multibody-radau15',
    'multibody',
    'radau15',
    cluster(150, { dt: 0.01, t_max: 0.05, integrator: 'radau15' }),
  ),
];
