import { Command, CommanderError } from 'commander';
import { engineVersion } from '../version.ts';
import { report } from './output.ts';
import { accountVerbs } from './verbs/accounts.ts';
import { jobVerbs } from './verbs/jobs.ts';
import { proofVerbs } from './verbs/proof.ts';
import { runVerbs } from './verbs/run.ts';
import { storeVerbs } from './verbs/store.ts';
import { upVerb } from './verbs/up.ts';

/** The command line: verbs that translate; what they do lies in the rooms below. */
export function program(): Command {
  const svc = new Command('svc')
    .description(
      'Physical, engineering and mathematical quantities, each with a receipt that a stranger can check.',
    )
    .version(engineVersion)
    .showSuggestionAfterError()
    .exitOverride();
  for (const verbs of [upVerb, accountVerbs, runVerbs, proofVerbs, jobVerbs, storeVerbs]) verbs(svc);
  return svc;
}

export async function main(args: readonly string[]): Promise<void> {
  try {
    await program().parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else process.exitCode = report(error, args.includes('--json'));
  }
}

await main(process.argv.slice(2));
