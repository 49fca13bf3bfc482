import type { Command } from 'commander';

/**
 * The verbs, each with the file that declares it. Only the file of the verb that was asked for is loaded, so that
 * `svc verify` needs neither the server nor the store.
 */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<(program: Command) => void>;
}

const run = async () => (await import('./verbs/run.ts')).runVerbs;
const accounts = async () => (await import('./verbs/accounts.ts')).accountVerbs;
const jobs = async () => (await import('./verbs/jobs.ts')).jobVerbs;
const challenge = async () => (await import('./verbs/challenge.ts')).challengeVerbs;
const catalogue = async () => (await import('./verbs/catalogue.ts')).catalogueVerbs;
const store = async () => (await import('./verbs/store.ts')).storeVerbs;
const contributions = async () => (await import('./verbs/contributions.ts')).contributionVerbs;

export const verbs: readonly Verb[] = [
  {
    name: 'up',
    summary: 'run a node in the foreground',
    load: async () => (await import('./verbs/up.ts')).upVerb,
  },
  { name: 'run', summary: 'run a solver, here or on a node', load: run },
  { name: 'quote', summary: 'price and work of a run, before anything runs', load: run },
  {
    name: 'verify',
    summary: 'check an answer offline, with a public key and nothing else',
    load: async () => (await import('./verbs/verify.ts')).verifyVerb,
  },
  {
    name: 'rerun',
    summary: 'execute an answer again, compare every digest, and plan its request again',
    load: async () => (await import('./verbs/rerun.ts')).rerunVerb,
  },
  {
    name: 'reverify',
    summary: 'have a node check an answer and sign its verdict',
    load: async () => (await import('./verbs/reverify.ts')).reverifyVerb,
  },
  { name: 'challenge', summary: 'run a result again and, where it differs, contest it', load: challenge },
  { name: 'challenges', summary: 'challenges to the results of a node', load: challenge },
  { name: 'verdict', summary: 'read a signed verdict and run its segment again', load: challenge },
  {
    name: 'bundle',
    summary: 'put an answer with all it needs into one file',
    load: async () => (await import('./verbs/bundle.ts')).bundleVerb,
  },
  {
    name: 'identity',
    summary: "this node's public key, or another's",
    load: async () => (await import('./verbs/identity.ts')).identityVerb,
  },
  { name: 'account', summary: 'open, fund and look at accounts', load: accounts },
  { name: 'key', summary: 'mint and revoke account keys', load: accounts },
  { name: 'operators', summary: 'search and read the operators of compute', load: catalogue },
  { name: 'constants', summary: 'the physical constants of CODATA 2022', load: catalogue },
  { name: 'jobs', summary: 'list the jobs of an account on a node', load: jobs },
  { name: 'watch', summary: 'follow a job to its end and show its answer', load: jobs },
  { name: 'cancel', summary: 'cancel a job; its hold is voided', load: jobs },
  {
    name: 'mesh',
    summary: 'what a mesh of several machines needs',
    load: async () => (await import('./verbs/mesh.ts')).meshVerb,
  },
  { name: 'bond', summary: 'put coins at stake as a contributor, and take them back', load: contributions },
  {
    name: 'mode',
    summary: 'switch the nodes of an account: idle, contributing or experimenting',
    load: contributions,
  },
  {
    name: 'earnings',
    summary: 'what an account earned as a contributor, and what was not paid, line by line',
    load: contributions,
  },
  {
    name: 'contribute',
    summary: 'take part in a mesh with this machine and earn coins',
    load: async () => (await import('./verbs/contribute.ts')).contributeVerb,
  },
  { name: 'backup', summary: 'write everything in the store to one file', load: store },
  { name: 'restore', summary: 'put back what a backup holds', load: store },
  { name: 'audit', summary: 'check that ledger, envelopes and log belong together', load: store },
];
