import type { RunEntry } from './answer.ts';
import type { Checks } from './checks.ts';
import type { Digest } from './job.ts';

// Whose kernels an answer ran (docs/protocol.md, 'Releases'): a digest names bytes, and only the table of a release
// says that they are those of a solver.

/** Kernels of a release, digest by name; by version. */
export type Releases = Readonly<Record<string, Readonly<Record<string, Digest>>>>;

export interface ReleaseFound {
  /** `engine_version` of the envelope. */
  readonly version: string;
  /** Whether a table of this release was at hand, so that the kernels were compared with it. */
  readonly known: boolean;
  /** In a sentence. */
  readonly detail: string;
}

export interface KernelFault {
  readonly run: number;
  readonly detail: string;
}

/** Compares the kernels of all runs with the release that the envelope names. */
export function compareRelease(
  version: string,
  runs: readonly RunEntry[],
  releases: Releases,
): { readonly release: ReleaseFound; readonly faults: readonly KernelFault[] } {
  const table = Object.hasOwn(releases, version) ? releases[version]! : undefined;
  if (!table) return { release: { version, known: false, detail: unknownDetail(version) }, faults: [] };
  const faults = runs.flatMap((entry, run) => {
    const detail = faultOf(entry, run === runs.length - 1, version, table);
    return detail === undefined ? [] : [{ run, detail }];
  });
  const detail =
    faults.length === 0 ? `all kernels are those of release ${version}` : `not the kernels of ${version}`;
  return { release: { version, known: true, detail }, faults };
}

const unknownDetail = (version: string): string =>
  `this copy does not know release ${version}: that its kernels are those of the solver is the node's word`;

function faultOf(
  { kernel, name }: RunEntry,
  isLast: boolean,
  version: string,
  table: Readonly<Record<string, Digest>>,
): string | undefined {
  if (!Object.hasOwn(table, name)) return `release ${version} has no kernel called ${name}`;
  if (table[name] !== kernel) return `release ${version} calls ${table[name]} ${name}, not ${kernel}`;
  if (isLast && !isVerdict(name)) return `${name} is the last run's kernel, and no verdict`;
  return undefined;
}

/** An expression judges itself: its kernel computes it twice. */
const isVerdict = (name: string): boolean => name.endsWith('.verdict') || name === 'expression';

/** The same as checks of a verification: one for each run. An unknown release is said beside the checks. */
export function checkKernels(
  version: string,
  runs: readonly RunEntry[],
  releases: Releases,
  checks: Checks,
): ReleaseFound {
  const { release, faults } = compareRelease(version, runs, releases);
  const wrong = new Map(faults.map(({ run, detail }) => [run, detail]));
  for (const run of release.known ? runs.keys() : [])
    checks.that('kernel', `/runs/${run}/kernel`, !wrong.has(run), release.detail, wrong.get(run));
  return release;
}
