import { readFileSync, writeFileSync } from 'node:fs';
import { type ProbeOptions, type ProbeOutcome, runProbes } from './probe-run.ts';
import type { ProbeSuite } from './probe-suite.ts';

// `node [flags] node-engine.js`: executes a suite in this V8, as test/engines/engines.ts asks for. Arguments: files of
// the suite, of the options and of the outcome to write, and of an outcome whose checkpoints to go on from.

const [suiteFile, optionsFile, outcomeFile, fromFile] = process.argv.slice(2) as [
  string,
  string,
  string,
  string?,
];
const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const options: ProbeOptions = {
  ...read<ProbeOptions>(optionsFile),
  ...(fromFile && { resumeFrom: read<ProbeOutcome>(fromFile) }),
};
writeFileSync(outcomeFile, JSON.stringify(runProbes(read<ProbeSuite>(suiteFile), options)));
