import type { Command } from 'commander';
import { auditSpine } from '../../spine/audit.ts';
import { backupTo, restoreFrom } from '../../store/backup.ts';
import { type CommonOptions, withNode } from '../context.ts';
import { print, printJson } from '../output.ts';

/** `svc backup` and `svc restore`: everything the store holds, in one portable file. Keys of the node are not in it. */
export function storeVerbs(program: Command): void {
  program
    .command('backup')
    .summary('write everything in the store to one file')
    .argument('<file>', 'the file; it must not be there')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  svc backup 2026-11-21.backup\n\nThe keys of the node (node-keys.json) are secret and not in it: copy them apart.',
    )
    .action(async (file: string, options: CommonOptions) => {
      const summary = await withNode(options, (node) => backupTo(node.store, file));
      if (options.json) printJson(summary);
      else print(`${file}: ${summary.rows} rows of ${summary.tables} tables, sha256 ${summary.sha256}`);
    });
  program
    .command('restore')
    .summary('put back what a backup holds, whole or not at all')
    .argument('<file>', 'a file that svc backup wrote')
    .option('--replace', 'throw away what the store holds now')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc restore 2026-11-21.backup --data ./other')
    .action(async (file: string, options: CommonOptions & { replace?: boolean }) => {
      const replace = options.replace ?? false;
      const summary = await withNode(options, (node) => restoreFrom(node.store, file, { replace }));
      if (options.json) printJson(summary);
      else print(`restored ${summary.rows} rows of ${summary.tables} tables`);
    });
  program
    .command('audit')
    .summary('check that ledger, envelopes and log belong together')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc audit\n\nExit: 0 sound, 1 not, with what is wrong.')
    .action(async (options: CommonOptions) => {
      const { sound, problems, leaves, ledger } = await withNode(options, (node) => auditSpine(node.store));
      if (options.json)
        printJson({ sound, problems, leaves, transfers: ledger.transfers, accounts: ledger.accounts });
      else
        print(
          [
            ...problems,
            `${leaves} leaves, ${ledger.transfers} transfers: ${sound ? 'sound' : 'NOT SOUND'}`,
          ].join('\n'),
        );
      process.exitCode = sound ? 0 : 1;
    });
}
