import type { Command } from 'commander';

/** Options that every verb understands. */
export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

export const dataOption = (command: Command): Command =>
  command.option('--data <folder>', 'data folder (SVC_DATA_DIR)');

export const jsonOption = (command: Command): Command => command.option('--json', 'print JSON');

/** The words below a verb's help: what to type, and what its exit codes mean. */
export const examples = (command: Command, lines: readonly string[], exits?: string): Command =>
  command.addHelpText(
    'after',
    [
      '',
      'Example:',
      ...lines.map((line) => `  ${line}`),
      '',
      exits ?? 'Exit: 0 done, 1 refused, 2 not understood.',
    ].join('\n'),
  );
