/**
 * Every subject, stream and bucket of the mesh, and who may use which. NATS carries; the store remembers
 * (docs/mesh.md, 'What goes over which subject').
 */

/** Classes of the work queue in the order in which they are served: paid before free, small before large. */
export const jobClasses = ['paid-small', 'paid-large', 'free-small', 'free-large'] as const;
export type JobClass = (typeof jobClasses)[number];

export const streams = {
  jobs: 'JOBS',
  results: 'RESULTS',
  parts: 'PARTS',
  segments: 'SEGMENTS',
} as const;
export const buckets = { nodes: 'NODES' } as const;

/** In the place of the run, where a message holds results of several: no run is called so (`isToken`). */
export const parcels = '~';

export const subjects = {
  /** JetStream work queue: "this run has a segment to run". One message a run at most: it cannot ring twice. */
  jobs: (jobClass: JobClass, run: string) => `svc.jobs.${jobClass}.${run}`,
  /** Core: something was put on the work queue; look now instead of in a second. */
  bell: 'svc.bell',
  /** JetStream: commitments, claims and answers to checks, signed by the node that sends them. */
  results: (run: string, node: string) => `svc.results.${run}.${node}`,
  /** JetStream: pieces, by their SHA-256, of a message that is too large for one. */
  part: (node: string, sha256: string) => `svc.parts.${node}.${sha256}`,
  /** Core request to any service node: leases, signs of life, bytes. */
  ask: (node: string) => `svc.node.${node}.ask`,
  /** Core, service to one node: commitments that are durable, checks to run, the end of a lease. */
  to: (node: string) => `svc.to.${node}`,
  /** Core, between service nodes: a node that is to stay outside for a while. */
  shutOut: 'svc.shut-out',
  gossip: (kind: string) => `svc.gossip.${kind}`,
  /** The same of a contributor, which speaks under its own name only. */
  gossipOf: (kind: string, node: string) => `svc.gossip.${kind}.${node}`,
  /** JetStream, for service nodes only: a piece of bytes that a run needs, under their SHA-256. */
  segments: (run: string, ...rest: readonly string[]) => ['svc.segments', run, ...rest].join('.'),
  /** Core: beacons as they are made. */
  beacon: 'svc.beacon',
  inbox: (node: string) => `_INBOX.${node}`,
} as const;

/** A name that can stand as one token of a subject. */
export const isToken = (name: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(name);

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * A contributor speaks under its own id only, takes from the work queue, and hears what is said to it. It cannot read
 * another's results, list what is stored, or make or delete a stream.
 */
export function contributorPermissions(node: string): Permissions {
  return {
    publish: [
      subjects.results('*', node),
      subjects.part(node, '*'),
      subjects.ask(node),
      subjects.gossipOf('*', node),
      `$KV.${buckets.nodes}.${node}`,
      ...jobClasses.flatMap((name) => [
        `$JS.API.CONSUMER.INFO.${streams.jobs}.${name}`,
        `$JS.API.CONSUMER.MSG.NEXT.${streams.jobs}.${name}`,
        `$JS.ACK.${streams.jobs}.${name}.>`,
      ]),
    ],
    subscribe: [subjects.to(node), subjects.bell, subjects.beacon, `${subjects.inbox(node)}.>`],
  };
}
