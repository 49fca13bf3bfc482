// The twin of a kernel that uses assembly/kernel/team.ts: the same source with a shared memory that comes from outside.
// Every thread has an instance of its own, and with it globals of its own. What the compiler cannot say is written into its
// text here, before the module is made of it:
//
// - publish(at) and adopt(at) store every mutable global to memory and load it from there;
// - initialize() lays the data of the module into memory, once: with active segments each further instance would do that
//   again under a run.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const fromCompiler = createRequire(createRequire(import.meta.url).resolve('assemblyscript/package.json'));
const { default: binaryen } = await import(pathToFileURL(fromCompiler.resolve('binaryen')).href);

const SLOT = 16;

/** The source of a twin's entry: what the kernel exports, and what its threads need. */
const twinEntry = (kernel) =>
  `export * from "./${kernel}";\nexport { assist, others } from "../kernel/team";\n`;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/**
 * Compiles the twin of the kernel whose source is `file`, a path from the root, with the options of asconfig.json.
 * @param read the text of a source by its path, null where there is none
 */
export async function compileTwin(file, read = textOf) {
  const { default: asc } = await import('assemblyscript/asc');
  const entry = file.replace(/\.ts$/, '.team.ts');
  const shared = ['--enable', 'threads', '--sharedMemory', '--importMemory', '--textFile', 'twin.wat'];
  let text = '';
  const { error, stderr } = await asc.main(
    [entry, ...shared, '--config', 'asconfig.json', '--baseDir', root],
    {
      readFile: (path, folder) =>
        path === entry ? twinEntry(basename(file, '.ts')) : read(join(folder, path)),
      writeFile: (_, contents) => {
        text = contents;
      },
      listFiles: () => null,
    },
  );
  if (error) throw new Error(`${file}: ${error.message}\n${stderr.toString()}`);
  return twinOf(text);
}

/** Bytes that team.ts keeps for globals. */
const ROOM = 8192;

/** @param text a module as the compiler prints it */
function twinOf(text) {
  const globals = [...text.matchAll(/^ \(global (\S+) \(mut (\w+)\)/gm)].map(([, name, type]) => ({
    name,
    type,
  }));
  if (globals.length * SLOT > ROOM) throw new Error(`${globals.length} globals need more than ${ROOM} bytes`);
  const segments = [...text.matchAll(/^ \(data (\S+) \(i32\.const (\d+)\) (".*")\)$/gm)];
  const start = /^ \(start (\S+)\)$/m.exec(text)?.[1];
  const withoutThem = text
    .replace(/^ \(data (\S+) \(i32\.const \d+\) /gm, ' (data $1 ')
    .replace(/^ \(start \S+\)\n/m, '')
    .replace(/^ \(import "team" "\w+" .*\n/gm, '');
  const stores = globals.map(
    ({ name, type }, i) => `(${type}.store offset=${i * SLOT} (local.get $0) (global.get ${name}))`,
  );
  const loads = globals.map(
    ({ name, type }, i) => `(global.set ${name} (${type}.load offset=${i * SLOT} (local.get $0)))`,
  );
  const inits = segments.map(
    ([, name, at, bytes]) =>
      `(memory.init ${name} (i32.const ${at}) (i32.const 0) (i32.const ${lengthOf(bytes)}))`,
  );
  const added = [
    `(func $assembly/kernel/team/publish (param $0 i32) ${stores.join(' ')})`,
    `(func $assembly/kernel/team/adopt (param $0 i32) ${loads.join(' ')})`,
    `(func $team/initialize ${inits.join(' ')} ${start ? `(call ${start})` : ''})`,
    '(export "initialize" (func $team/initialize))',
  ];
  const module = binaryen.parseText(withoutThem.replace(/\)\s*$/, `${added.join('\n ')}\n)\n`));
  const has = binaryen.Features;
  const memory = has.Atomics | has.BulkMemory | has.BulkMemoryOpt;
  module.setFeatures(memory | has.MutableGlobals | has.NontrappingFPToInt | has.SIMD128 | has.SignExt);
  if (!module.validate()) throw new Error('the twin is no valid module');
  return module.emitBinary();
}

/** Bytes of a string of the text format. */
const lengthOf = (quoted) => quoted.slice(1, -1).replace(/\\([0-9a-f]{2}|.)/gi, '.').length;
