import { Command, CommanderError } from 'commander';
import { engineVersion } from '../version.ts';
import { printJson, report } from './output.ts';
import { verbs } from './verbs.ts';

/**
 * The command line: verbs that translate; what they do lies in the rooms below. Of the verbs only those that
 * `asked` names are declared in full, the others by their summary.
 */
async function program(asked: string | undefined): Promise<Command> {
  const svc = new Command('svc')
    .description(
      'Physical, engineering and mathematical quantities, each with a receipt that a stranger can check.',
    )
    .version(engineVersion)
    .showSuggestionAfterError()
    .addHelpText('after', '\nExample:\n  svc run multibody --help\n\nEach verb has --help with an example.')
    .exitOverride();
  const declare = await verbs.find(({ name }) => name === asked)?.load();
  const full = new Command();
  full.copyInheritedSettings(svc);
  declare?.(full);
  for (const { name, summary } of verbs) {
    const declared = full.commands.find((command) => command.name() === name);
    if (declared) svc.addCommand(declared);
    else svc.command(name).summary(summary);
  }
  return svc;
}

export async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((word) => !word.startsWith('-'));
  const asJson = args.includes('--json');
  try {
    const svc = await program(words[0] === 'help' ? words[1] : words[0]);
    await svc.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) process.exitCode = report(error, asJson);
    else if (error.exitCode !== 0) {
      process.exitCode = 2; // commander has said what it does not understand
      if (asJson && error.message !== '(outputHelp)')
        printJson({ error: { code: 'INVALID_INPUT', message: error.message.replace(/^error: /, '') } });
    }
  }
}

await main(process.argv.slice(2));
