/** The test files that take longest, the longest first; the lines of `npm test` end with their seconds. */
export const longest = [
  'test/mesh/processes/faults.test.ts',
  'test/mesh/processes/two-services.test.ts',
  'test/engines/same-digests.test.ts',
  'test/spine/kill-long-job.test.ts',
  'test/bench/run.test.ts',
  'test/mesh/processes/comings-and-goings.test.ts',
  'test/mesh/shards.test.ts',
  'test/mesh/processes/liar.test.ts',
  'test/contribute/mongodb.test.ts',
  'test/cli/up.test.ts',
  'test/cli/two-terminals.test.ts',
  'test/kernels/determinism-build.test.ts',
  'test/console/operators-page.test.ts',
  'test/mesh/processes/namespace.test.ts',
  'test/kernels/determinism.test.ts',
  'test/python/verifier.test.ts',
  'test/spine/mongodb.test.ts',
  'test/spine/kill-small-jobs.test.ts',
  'test/mesh/coordinator/executor.test.ts',
  'test/cli/contribute.test.ts',
  'test/mesh/contributor/contributor.test.ts',
  'test/cli/challenge.test.ts',
  'test/mesh/nats/abuse.test.ts',
  'test/store/mongodb.test.ts',
  'test/cli/demo.test.ts',
  'test/mesh/node.test.ts',
  'test/cli/verbs.test.ts',
  'test/challenges/mesh.test.ts',
  'test/challenges/kill.test.ts',
];

/**
 * Folders whose files start nothing of their own: several run in one process, which loads and warms the solvers and the
 * compiler of the kernels once. Files of `longest` run alone.
 */
const together = [
  'solvers',
  'http',
  'kernels',
  'spine',
  'operators',
  'proof',
  'house',
  'units',
  'mesh/decide',
];
/** Files of a process; one that breaks takes the others with it, and they begin anew in another. */
const MOST = 10;

/** The files as lists of what runs in one process, those that take longest first. @param files sources */
export function grouped(files) {
  const alone = longest.filter((file) => files.includes(file));
  const others = files.filter((file) => !alone.includes(file));
  const folderOf = (file) => together.find((folder) => file.startsWith(`test/${folder}/`));
  const groups = together.flatMap((folder) => evenly(others.filter((file) => folderOf(file) === folder)));
  const rest = others.filter((file) => folderOf(file) === undefined);
  return [...alone.map((file) => [file]), ...groups, ...rest.map((file) => [file])];
}

/** A list in equal parts that are not too long; neighbours part, so that each has of the long ones. */
function evenly(list) {
  const parts = Math.ceil(list.length / MOST);
  return Array.from({ length: parts }, (_, part) => list.filter((_, at) => at % parts === part));
}
