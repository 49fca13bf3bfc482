import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../root.ts';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const read = (path: string) => JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
const locked: Readonly<Record<string, LockedPackage>> = read('package-lock.json').packages;
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const installed = Object.entries(locked).filter(([path]) => path !== '');
const shipped = installed.filter(([, { dev }]) => dev !== true);

const allowed = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
]);
/** Not on the list and looked at one by one. */
const examined: Readonly<Record<string, string>> = {
  tweetnacl: 'Unlicense', // public domain; nats needs it for its keys
};

/** Whether an SPDX expression leaves a choice within the list. */
function isAllowed(expression: string): boolean {
  const choices = expression.replace(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => allowed.has(one.trim())));
}

/** As the package itself says where it is installed; a package for another platform is only in the lockfile. */
function licenseOf(path: string, fromLockfile: string | undefined): string {
  const manifest = join(path, 'package.json');
  if (!existsSync(join(repositoryRoot, manifest))) return fromLockfile ?? 'none';
  const { license } = read(manifest);
  return license?.type ?? license ?? fromLockfile ?? 'none';
}

t.test('everything that is shipped has a licence that lets it be shipped', async (t) => {
  const refused = shipped
    .map(([path, { license }]) => ({ name: nameOf(path), license: licenseOf(path, license) }))
    .filter(({ name, license }) => !isAllowed(license) && examined[name] !== license);
  t.strictSame(refused, []);
  t.ok(shipped.length > 50, 'and the list is not empty');
});

t.test('a copyleft licence would be refused', async (t) => {
  for (const license of ['GPL-2.0-only', 'MIT AND GPL-3.0', 'none', 'UNLICENSED'])
    t.notOk(isAllowed(license), license);
  for (const license of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC']) t.ok(isAllowed(license), license);
});

t.test('the lockfiles name no host', async (t) => {
  for (const file of ['package-lock.json', 'test/engines/newer-node/package-lock.json']) {
    const packages = Object.values<LockedPackage>(read(file).packages);
    t.strictSame(
      packages.filter(({ resolved, link }) => resolved !== undefined && !link),
      [],
      file,
    );
  }
});

t.test('every package says that it runs on Node 20', async (t) => {
  // `>=22`, `^22`, `>= 22.1`: a lowest major above 20, with no other choice beside it.
  const tooNew = /^\s*(>=|\^|~)?\s*(2[1-9]|[3-9]\d)/;
  const refused = installed
    .filter(([, { engines }]) => (engines?.node ?? '').split('||').every((choice) => tooNew.test(choice)))
    .map(([path, { version, engines }]) => `${path} ${version} asks for Node ${engines?.node}`);
  t.strictSame(refused, []);
  t.match(
    ['>=22', '^22.12.0 || >=24', '>= 22'].filter((range) => range.split('||').every((c) => tooNew.test(c)))
      .length,
    3,
  );
});

/** Names that a package asks for and that stand nowhere in the lockfile: `npm ci` refuses such a lockfile. */
function unlocked(packages: Readonly<Record<string, LockedPackage>>): string[] {
  const present = new Set(Object.keys(packages).map(nameOf));
  return Object.values(packages)
    .flatMap(({ dependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    )
    .filter((name) => !present.has(name));
}

t.test('the lockfile holds all that is asked for, for other platforms too', async (t) => {
  t.strictSame(unlocked(locked), []);
  t.strictSame(unlocked({ a: { optionalDependencies: { 'a-darwin': '1.0.0' } } }), ['a-darwin']);
});

t.test('versions are pinned', async (t) => {
  const { dependencies, devDependencies, overrides } = read('package.json');
  for (const [name, version] of Object.entries<string>({
    ...dependencies,
    ...devDependencies,
    ...overrides,
  })) {
    t.match(version, /^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  }
});
