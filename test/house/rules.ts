import { isBuiltin } from 'node:module';
import { type ModuleFacts, moduleFacts } from './module-facts.ts';
import { mayImport, roomOf } from './rooms.ts';
import type { SourceFile } from './source-files.ts';

/** Functions of Math that ECMA-262 defines to the last bit; the others differ between engines. */
const exactMath = new Set([
  ...['sqrt', 'abs', 'floor', 'ceil', 'trunc', 'sign', 'min', 'max', 'PI'],
  ...['round', 'fround', 'imul', 'clz32'],
]);
const exactRooms = ['src/solvers', 'src/operators', 'src/units'];
/** Where `**` raises BigInts, or 2 to an integer, which is exact. */
const exactPowers = new Set(['src/units/fraction.ts']);

/** What starts on its own: the program, the command line's two doors, a page of the browser, and each bench. */
const isEntry = (path: string): boolean =>
  ['src/main.ts', 'src/cli/main.ts', 'src/cli/demo.ts', 'src/console/operators-page.ts'].includes(path) ||
  /^(bench|scripts)\//.test(path) ||
  path.endsWith('.test.ts');

/** The pages run in a browser, and so do the verifier and the re-executor, with all they import. */
const nodeOnly = 'src/proof/crypto-node.ts';
const isPortableDoor = (path: string): boolean =>
  (/^src\/(proof|console)\//.test(path) ||
    ['workers/kernel-host.ts', 'workers/reexecute.ts'].includes(path)) &&
  path !== nodeOnly;

type Modules = ReadonlyMap<string, ModuleFacts>;

function roomRule(modules: Modules): string[] {
  return [...modules.values()].flatMap(({ path, imports }) =>
    imports
      .flatMap((named) => named.targets)
      .filter((target) => target.endsWith('.ts') && !mayImport(roomOf(path), roomOf(target)))
      .map((target) => `${path} imports ${target}: ${roomOf(path)} may not know ${roomOf(target)}`),
  );
}

function environmentRule(modules: Modules): string[] {
  const rooms = ['src/main', 'src/cli', 'test', 'bench', 'scripts'];
  return [...modules.values()]
    .filter(({ path, readsEnvironment }) => readsEnvironment && !rooms.includes(roomOf(path)))
    .map(({ path }) => `${path} reads process.env: only src/main.ts and src/cli do`);
}

function mathRule(modules: Modules): string[] {
  return [...modules.values()]
    .filter(({ path }) => exactRooms.includes(roomOf(path)))
    .flatMap(({ path, math }) =>
      math
        .filter((name) => !exactMath.has(name) && !(name === '**' && exactPowers.has(path)))
        .map(
          (name) => `${path} uses ${name === '**' ? name : `Math.${name}`}, which differs between engines`,
        ),
    );
}

/** `from` and all that they import at run time, leaving out what the browser resolves otherwise. */
function runtimeClosure(modules: Modules, from: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const queue = [...from];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path) || path === nodeOnly) continue;
    seen.add(path);
    const used = modules.get(path)?.imports.filter((named) => !named.typeOnly) ?? [];
    queue.push(...used.flatMap((named) => named.targets));
  }
  return seen;
}

function portableRule(modules: Modules): string[] {
  const doors = [...modules.keys()].filter(isPortableDoor);
  return [...runtimeClosure(modules, doors)].flatMap((path) => {
    const { imports = [], nodeGlobals = [] } = modules.get(path) ?? {};
    const builtins = imports.filter(({ typeOnly, specifier }) => !typeOnly && isBuiltin(specifier));
    return [...new Set([...builtins.map(({ specifier }) => specifier), ...nodeGlobals])].map(
      (name) => `${path} needs ${name}: the verifier and the re-executor run in a browser too`,
    );
  });
}

/** Cycles of imports, of types too, each once, from its first file in the alphabet. */
function cycleRule(modules: Modules): string[] {
  const cycles = new Set<string>();
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const cycle = trail.slice(start);
      const first = cycle.indexOf([...cycle].sort()[0]!);
      const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
      cycles.add(`import cycle: ${[...turned, turned[0]].join(' → ')}`);
    }
    if (start >= 0 || finished.has(path)) return;
    for (const { targets } of modules.get(path)?.imports ?? [])
      for (const target of targets) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of modules.keys()) visit(path, []);
  return [...cycles];
}

function reachable(modules: Modules, entries: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const queue = [...entries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...(modules.get(path)?.imports.flatMap((named) => named.targets) ?? []));
  }
  return seen;
}

/** Files that no entry leads to. What only a test uses is dead as well, unless it is the test's own helper. */
function deadFileRule(modules: Modules): string[] {
  const paths = [...modules.keys()].filter((path) => !path.startsWith('assembly/'));
  const program = paths.filter((path) => isEntry(path) && !path.startsWith('test/'));
  const alive = reachable(modules, program);
  const tested = reachable(modules, paths.filter(isEntry));
  return paths
    .filter((path) => !(path.startsWith('test/') ? tested : alive).has(path))
    .map((path) => `${path} is dead: nothing that runs imports it`);
}

const rules = [roomRule, environmentRule, mathRule, portableRule, cycleRule, deadFileRule];

/** Every breach of the house's rules in these modules, in sentences. */
export function breaches(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) =>
    /^(src|workers|mesh|assembly|test|bench|scripts)\/.*\.ts$/.test(path),
  );
  const known = new Set(sources.map(({ path }) => path));
  const modules = new Map(sources.map((file) => [file.path, moduleFacts(file, known)]));
  return rules.flatMap((rule) => rule(modules));
}
