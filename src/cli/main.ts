import { CommanderError } from 'commander';
import { printError, printJson, report } from './output.ts';
import { program } from './program.ts';

export async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((word) => !word.startsWith('-'));
  const asJson = args.includes('--json');
  try {
    const svc = await program(words[0] === 'help' ? words[1] : words[0], asJson);
    await svc.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) process.exitCode = report(error, asJson);
    else if (error.exitCode !== 0) {
      process.exitCode = 2; // without --json commander has said what it does not understand
      if (asJson) printJson({ error: { code: 'INVALID_INPUT', message: usageError(error.message, args) } });
    }
  }
}

/** Every verb knows --json; words that only lead to verbs do not. */
function usageError(message: string, args: readonly string[]): string {
  if (message !== "error: unknown option '--json'") return message.replace(/^error: /, '');
  const before = ['svc', ...args.slice(0, args.indexOf('--json'))].join(' ');
  return `${before} needs another word before --json; ${before} --help lists them`;
}

// A reader that has seen enough (`svc … | head`) closes the pipe: the verb goes on to its end and says no more. An
// output that cannot be written is neither sound nor unsound. A node that serves loses its lines, not its life.
const args = process.argv.slice(2);
const serves = ['up', 'contribute'].includes(args.find((word) => !word.startsWith('-')) ?? '');
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || serves) return;
    if (stream === process.stdout) printError(`error: what svc says cannot be written: ${error.message}`);
    process.exit(2);
  });

await main(args);
