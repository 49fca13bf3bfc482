import type { Command } from 'commander';
import { orUnreadable } from '../in-file.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { print, printJson } from '../output.ts';

/** `svc backup`, `restore` and `audit`: the store as a whole. Keys of the node are not in a backup. */
export function storeVerbs(program: Command): void {
  backupVerb(program);
  restoreVerb(program);
  auditVerb(program);
}

function backupVerb(program: Command): void {
  const backup = program
    .command('backup')
    .summary('write everything in the store to one file')
    .description(
      'Writes everything in the store to one portable file.\nThe keys of the node (node-keys.json) are secret and not in it: copy them apart, with log-head.json beside them.',
    )
    .argument('<file>', 'the file; it must not be there')
    .action(async (file: string, options: CommonOptions) => {
      const { backupTo } = await import('../../store/backup.ts');
      const { mustHoldStore, withStore } = await import('../stored.ts');
      mustHoldStore(options);
      const summary = await withStore(options, (store) => backupTo(store, file));
      if (options.json) printJson(summary);
      else print(`${file}: ${summary.rows} rows of ${summary.tables} tables, sha256 ${summary.sha256}`);
    });
  examples(jsonOption(dataOption(backup)), ['svc backup 2026-11-21.backup']);
}

function restoreVerb(program: Command): void {
  const restore = program
    .command('restore')
    .summary('put back what a backup holds, whole or not at all')
    .argument('<file>', 'a file that svc backup wrote')
    .option('--replace', 'throw away what the store holds now')
    .description(
      'Puts back what a backup holds, whole or not at all, while no node has the store open.\nA log that was signed further than the backup knows is not gone on with: the restore says so, and what can be done.',
    )
    .action(restoreFile);
  examples(jsonOption(dataOption(restore)), ['svc restore 2026-11-21.backup --data ./other']);
}

const NO_KEYS =
  'this folder has no keys of a node (node-keys.json): one that starts here has a name and a log of its own';

async function restoreFile(file: string, options: CommonOptions & { replace?: boolean }): Promise<void> {
  const [{ restoreStore }, { waysOut }, { ownLog, withStore }, { systemClock }] = await Promise.all([
    import('../../spine/restored-log.ts'),
    import('../../spine/log-continuity.ts'),
    import('../stored.ts'),
    import('../../clock/clock.ts'),
  ]);
  const { replace = false } = options;
  const nowNs = systemClock().now();
  const own = ownLog(options);
  const { rows, tables, gap } = await withStore(options, (store) =>
    orUnreadable(file, restoreStore(store, file, { replace, own, nowNs })),
  );
  const log = gap ? `${gap.sentence}; ${waysOut(gap)}` : null;
  if (options.json) printJson({ rows, tables, node: own?.node ?? null, log_goes_on: gap === undefined, log });
  else
    print(
      [`restored ${rows} rows of ${tables} tables`, ...(own ? [] : [NO_KEYS]), ...(log ? [log] : [])].join(
        '\n',
      ),
    );
}

function auditVerb(program: Command): void {
  const audit = program
    .command('audit')
    .summary('check that ledger, envelopes and log belong together')
    .action(async (options: CommonOptions) => {
      const [{ auditSpine }, { openStakes }, { mustHoldStore, ownLog, withStore }, { trustedKeys }] =
        await Promise.all([
          import('../../spine/audit.ts'),
          import('../../challenges/stakes.ts'),
          import('../stored.ts'),
          import('../proof-files.ts'),
        ]);
      mustHoldStore(options);
      const own = ownLog(options);
      const trust = { vkeys: trustedKeys(options) };
      const { sound, problems, leaves, ledger } = await withStore(options, (store) =>
        auditSpine(store, own, trust, [openStakes]),
      );
      const { transfers, accounts } = ledger;
      if (options.json) printJson({ sound, problems, leaves, transfers, accounts });
      else {
        const end = `${leaves} leaves, ${transfers} transfers: ${sound ? 'sound' : 'NOT SOUND'}`;
        print([...problems, end].join('\n'));
      }
      process.exitCode = sound ? 0 : 1;
    });
  examples(jsonOption(dataOption(audit)), ['svc audit'], 'Exit: 0 sound, 1 not, with what is wrong.');
}
