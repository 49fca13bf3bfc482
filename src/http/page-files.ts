import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { besideSource } from '../units/data-file.ts';

/** A file of the page as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The same for who takes `content-encoding: gzip`; undefined where it would not be smaller. */
  readonly gzip: Buffer | undefined;
}

/** All that the page consists of, read once: nothing else of the disk can be asked for. */
export interface PageFiles {
  /** Of all contents together; it stands in the addresses, so that a file under one never changes. */
  readonly version: string;
  readonly page: PageFile;
  readonly assets: ReadonlyMap<string, PageFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
};

const compiled = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const root = compiled('../../../');
const cryptoPortable = compiled('../proof/crypto-portable.js');
const source = (name: string) => fileURLToPath(besideSource(import.meta.url, `../console/${name}`));
const katexFolder = dirname(createRequire(import.meta.url).resolve('katex'));

let known: PageFiles | undefined;

/** Read at first use. */
export function pageFiles(): PageFiles {
  known ??= readPageFiles();
  return known;
}

function readPageFiles(): PageFiles {
  const contents = new Map<string, Buffer>();
  const take = (file: string) => contents.set(assetName(file), readFileSync(file));
  for (const name of ['operators.css', 'icon.svg']) take(source(name));
  for (const name of ['katex.min.js', 'katex.min.css']) take(`${katexFolder}/${name}`);
  // Browsers that have modules have WOFF2, so the other two forms of each font are never asked for.
  const fonts = readdirSync(`${katexFolder}/fonts`).filter((name) => name.endsWith('.woff2'));
  for (const name of fonts) take(`${katexFolder}/fonts/${name}`);
  for (const [file, code] of browserModules(compiled('../console/operators-page.js')))
    contents.set(assetName(file), Buffer.from(code));
  const html = readFileSync(source('operators.html'), 'utf8');
  const version = versionOf(contents, html);
  const page = Buffer.from(html.replaceAll('ASSETS/', `/docs/assets/${version}/`));
  const assets = new Map([...contents].map(([name, bytes]) => [name, fileOf(name, bytes)]));
  return { version, page: fileOf('operators.html', page), assets };
}

function versionOf(contents: ReadonlyMap<string, Buffer>, html: string): string {
  const hash = createHash('sha256').update(html);
  for (const [name, bytes] of contents) hash.update(`\0${name}\0`).update(bytes);
  return hash.digest('hex').slice(0, 16);
}

function fileOf(name: string, bytes: Buffer): PageFile {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`no media type for ${name}`);
  const packed = name.endsWith('.woff2') ? bytes : gzipSync(bytes);
  return { type, bytes, gzip: packed.length < bytes.length ? packed : undefined };
}

/** Its path in the repository, packages under `vendor`. */
function assetName(file: string): string {
  const path = relative(root, file).split(sep).join('/');
  const inPackage = path.lastIndexOf('node_modules/');
  return inPackage < 0 ? path : `vendor/${path.slice(inPackage + 'node_modules/'.length)}`;
}

// ---- modules -------------------------------------------------------------------------------------------

/** Imports and exports at the head of a line, so that an example in a comment is none; and `import('…')`. */
const specifiers =
  /^((?:import|export)\b[^;'"]*?\bfrom\s*|import\s*)(['"])([^'"]+)\2|(\bimport\()(['"])([^'"]+)\5/gm;

/**
 * A module and all that it imports, by file. A browser knows no package names and an import map would be an inline
 * script, so each name of a package becomes the relative address of the file that it means.
 */
function browserModules(entry: string): Map<string, string> {
  const modules = new Map<string, string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (modules.has(file)) continue;
    const from = file;
    const code = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/gm, '');
    const rewritten = code.replace(specifiers, (_, head, quote, name, dynamic, dynamicQuote, dynamicName) => {
      const target = resolved(name ?? dynamicName, from);
      queue.push(target);
      const address = relativeAddress(from, target);
      return name === undefined
        ? `${dynamic}${dynamicQuote}${address}${dynamicQuote}`
        : `${head}${quote}${address}${quote}`;
    });
    modules.set(file, rewritten);
  }
  return modules;
}

/** Packages are those that this file would get: each of them is installed once. */
function resolved(specifier: string, from: string): string {
  if (specifier === '#crypto') return cryptoPortable;
  const isRelative = specifier.startsWith('.');
  return fileURLToPath(isRelative ? new URL(specifier, pathToFileURL(from)) : import.meta.resolve(specifier));
}

function relativeAddress(from: string, to: string): string {
  const path = posix.relative(posix.dirname(assetName(from)), assetName(to));
  return path.startsWith('.') ? path : `./${path}`;
}
