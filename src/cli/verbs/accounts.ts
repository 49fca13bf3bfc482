import type { Command } from 'commander';
import type { Accounts } from '../../accounts/accounts.ts';
import { Refusal } from '../../errors/refusal.ts';
import { formatHours, plancksOfHours } from '../../ledger/plancks.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { print, printJson } from '../output.ts';

/** `svc account …` and `svc key …`: beside a running node or without one. */
export function accountVerbs(program: Command): void {
  const account = program.command('account').summary('open, fund and look at accounts');
  createVerb(account);
  showVerb(account);
  grantVerb(account);
  examples(account, ['svc account create --fuel-hours 10 --json']);
  const key = program.command('key').summary('mint and revoke account keys');
  mintVerb(key);
  revokeVerb(key);
  examples(key, ['svc key create --account local --json']);
}

/** On accounts of a store that is there. */
async function onAccounts<T>(options: CommonOptions, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const { mustHoldStore, withAccounts } = await import('../stored.ts');
  mustHoldStore(options);
  return withAccounts(options, work);
}

function createVerb(account: Command): void {
  const create = account
    .command('create')
    .summary('open an account')
    .option('--fuel-hours <hours>', 'compute-hours to grant it')
    .option('--label <text>', 'a name for people')
    .action(async (options: CommonOptions & { fuelHours?: string; label?: string }) => {
      const { fuelHours, label } = options;
      const fuel = fuelHours === undefined ? undefined : plancksOfHours(fuelHours, '--fuel-hours');
      const { withAccounts } = await import('../stored.ts');
      const made = await withAccounts(options, (accounts) => accounts.create({ label, fuel }));
      if (options.json) printJson(made);
      else print(`account ${made.zid}${fuel ? ` with ${formatHours(fuel)} compute-hours` : ''}`);
    });
  examples(jsonOption(dataOption(create)), ['svc account create --fuel-hours 10 --json']);
}

function showVerb(account: Command): void {
  const show = account
    .command('show')
    .summary('what an account can spend')
    .argument('<zid>', 'the account')
    .action(async (zid: string, options: CommonOptions) => {
      const { bond, free, paid, held } = await onAccounts(options, (accounts) => accounts.means(zid));
      const fuel = free + paid;
      if (options.json)
        return printJson({
          zid,
          bond_plancks: String(bond),
          fuel_plancks: String(fuel),
          granted_plancks: String(free),
          held_plancks: String(held),
        });
      const hours = [bond, fuel, held].map((plancks) => formatHours(plancks));
      print(`${zid}: ${hours[0]} h in the bond, ${hours[1]} h of fuel, ${hours[2]} h held`);
    });
  examples(jsonOption(dataOption(show)), ['svc account show local']);
}

function grantVerb(account: Command): void {
  const grant = account
    .command('grant')
    .summary('grant compute-hours to an account')
    .argument('<zid>', 'the account')
    .requiredOption('--fuel-hours <hours>', 'compute-hours')
    .action(async (zid: string, options: CommonOptions & { fuelHours: string }) => {
      const plancks = plancksOfHours(options.fuelHours, '--fuel-hours');
      await onAccounts(options, (accounts) => accounts.grant(zid, plancks, '--fuel-hours'));
      if (options.json) printJson({ zid, granted_plancks: String(plancks) });
      else print(`granted ${formatHours(plancks)} compute-hours to ${zid}`);
    });
  examples(jsonOption(dataOption(grant)), ['svc account grant local --fuel-hours 5']);
}

function mintVerb(key: Command): void {
  const create = key
    .command('create')
    .summary('mint a bearer key; it is shown once')
    .requiredOption('--account <zid>', 'the account that the key speaks for')
    .action(async (options: CommonOptions & { account: string }) => {
      const minted = await onAccounts(options, (accounts) => accounts.mintKey(options.account));
      if (options.json) printJson(minted);
      else print(`${minted.key}\nThis key is shown once; only its hash is kept. Its id is ${minted.id}.`);
    });
  examples(jsonOption(dataOption(create)), ['svc key create --account local --json']);
}

function revokeVerb(key: Command): void {
  const revoke = key
    .command('revoke')
    .summary('revoke a key by its id')
    .argument('<id>', 'id of the key: the 12 digits behind svc_ak_')
    .action(async (id: string, options: CommonOptions) => {
      const isRevoked = await onAccounts(options, (accounts) => accounts.revokeKey(id));
      if (!isRevoked) throw new Refusal('NOT_FOUND', `There is no key ${id} that is not revoked.`);
      if (options.json) printJson({ id, revoked: true });
      else print(`key ${id} is revoked`);
    });
  examples(jsonOption(dataOption(revoke)), ['svc key revoke 0123456789ab']);
}
