import { solvers } from '../solvers/registry.ts';

/** A request whose runs are among the probes of the self-test. */
export interface ProbeRequest {
  readonly solver: string;
  readonly title: string;
  readonly body: unknown;
}

/** What is computed to find the probes: an example that is refused says so by `expect.status`. */
export const probeRequests = (): readonly ProbeRequest[] =>
  solvers.flatMap(({ id, examples, probes = [] }) =>
    [...examples.filter(({ expect, slow }) => !('status' in expect) && !slow), ...probes].map(
      ({ title, body }) => ({ solver: id, title, body }),
    ),
  );
