import { Command } from 'commander';
import { engineVersion } from '../version.ts';
import { visible } from './output.ts';
import { verbs } from './verbs.ts';

/**
 * The command line: verbs that translate; what they do lies in the rooms below. Of the verbs only those that
 * `asked` names are declared in full, the others by their summary. With `asJson` it says nothing of what it does not
 * understand: the error that it throws is printed.
 */
export async function program(asked: string | undefined, asJson: boolean): Promise<Command> {
  const svc = new Command('svc')
    .description(
      'Physical, engineering and mathematical quantities, each with a receipt that a stranger can check.',
    )
    .version(engineVersion)
    .showSuggestionAfterError()
    .addHelpText('after', '\nExample:\n  svc run multibody --help\n\nEach verb has --help with an example.')
    .configureOutput({ outputError: (text, write) => write(visible(text)) })
    .exitOverride();
  if (asJson) svc.configureOutput({ writeErr: () => undefined });
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
