import type { Command } from 'commander';
import { Refusal } from '../../errors/refusal.ts';
import { formatHours, plancksOfHours } from '../../ledger/plancks.ts';
import { type CommonOptions, withNode } from '../context.ts';
import { print, printJson } from '../output.ts';

/** `svc account …` and `svc key …`: beside a running node or without one. */
export function accountVerbs(program: Command): void {
  const account = program.command('account').summary('open, fund and look at accounts');
  account
    .command('create')
    .summary('open an account')
    .option('--fuel-hours <hours>', 'compute-hours to grant it')
    .option('--label <text>', 'a name for people')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc account create --fuel-hours 10 --json')
    .action(async (options: CommonOptions & { fuelHours?: string; label?: string }) => {
      const fuel =
        options.fuelHours === undefined ? undefined : plancksOfHours(options.fuelHours, '--fuel-hours');
      const made = await withNode(options, (node) => node.accounts.create({ label: options.label, fuel }));
      if (options.json) printJson(made);
      else print(`account ${made.zid}${fuel ? ` with ${formatHours(fuel)} compute-hours` : ''}`);
    });
  account
    .command('show')
    .summary('what an account can spend')
    .argument('<zid>', 'the account')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc account show local')
    .action(async (zid: string, options: CommonOptions) => {
      const { bond, free, paid, held } = await withNode(options, (node) => node.accounts.means(zid));
      const fuel = free + paid;
      if (options.json)
        printJson({
          zid,
          bond_plancks: String(bond),
          fuel_plancks: String(fuel),
          granted_plancks: String(free),
          held_plancks: String(held),
        });
      else
        print(
          `${zid}: ${formatHours(bond)} h in the bond, ${formatHours(fuel)} h of fuel, ${formatHours(held)} h held`,
        );
    });
  account
    .command('grant')
    .summary('grant compute-hours to an account')
    .argument('<zid>', 'the account')
    .requiredOption('--fuel-hours <hours>', 'compute-hours')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc account grant local --fuel-hours 5')
    .action(async (zid: string, options: CommonOptions & { fuelHours: string }) => {
      const plancks = plancksOfHours(options.fuelHours, '--fuel-hours');
      await withNode(options, (node) => node.accounts.grant(zid, plancks));
      if (options.json) printJson({ zid, granted_plancks: String(plancks) });
      else print(`granted ${formatHours(plancks)} compute-hours to ${zid}`);
    });
  keyVerbs(program);
}

function keyVerbs(program: Command): void {
  const key = program.command('key').summary('mint and revoke account keys');
  key
    .command('create')
    .summary('mint a bearer key; it is shown once')
    .requiredOption('--account <zid>', 'the account that the key speaks for')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc key create --account local --json')
    .action(async (options: CommonOptions & { account: string }) => {
      const minted = await withNode(options, (node) => node.accounts.mintKey(options.account));
      if (options.json) printJson(minted);
      else print(`${minted.key}\nThis key is shown once; only its hash is kept. Its id is ${minted.id}.`);
    });
  key
    .command('revoke')
    .summary('revoke a key by its id')
    .argument('<id>', 'id of the key: the 12 digits behind svc_ak_')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  svc key revoke 0123456789ab')
    .action(async (id: string, options: CommonOptions) => {
      const isRevoked = await withNode(options, (node) => node.accounts.revokeKey(id));
      if (!isRevoked) throw new Refusal('NOT_FOUND', `There is no key ${id} that is not revoked.`);
      if (options.json) printJson({ id, revoked: true });
      else print(`key ${id} is revoked`);
    });
}
