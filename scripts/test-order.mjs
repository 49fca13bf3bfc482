/** The test files that take longest, the longest first; the lines of `npm test` end with their seconds. */
export const longest = [
  'test/bench/run.test.ts',
  'test/engines/same-digests.test.ts',
  'test/challenges/kill.test.ts',
  'test/cli/verbs.test.ts',
  'test/cli/up.test.ts',
  'test/http/solver-refusals.test.ts',
  'test/http/fuzz.test.ts',
  'test/cli/challenge.test.ts',
  'test/cli/contribute.test.ts',
  'test/console/operators-page.test.ts',
  'test/contribute/mongodb.test.ts',
  'test/ledger/mongodb.test.ts',
  'test/http/examples.test.ts',
  'test/cli/demo.test.ts',
];
