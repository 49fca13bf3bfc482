import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { knownReleases } from '../../workers/rerun-releases.ts';
import { repositoryRoot } from '../root.ts';
import { runPython } from '../servers/python.ts';

// The two programs that judge a file: `svc`, and verifier.py with Wasmtime.

export interface Outcome {
  readonly code: number | null;
  readonly said: Record<string, never> & { verdict?: string; what?: string };
}

export const folder = mkdtempSync(join(tmpdir(), 'python-verifier-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

const svcFile = join(repositoryRoot, 'bin', 'svc.js');
export const pythonFolder = join(repositoryRoot, 'test', 'python');
const releases = join(folder, 'releases.json');
writeFileSync(releases, JSON.stringify(knownReleases()));
export const dataFolder = join(folder, 'data');
const env = { ...process.env, SVC_DATA_DIR: dataFolder };

export function svc(
  args: readonly string[],
  input = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [svcFile, ...args],
      { env, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => done({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
    child.stdin?.on('error', () => {}); // a command that does not read its input closes the pipe early
    child.stdin?.end(input);
  });
}

const readJson = (text: string) => (text.startsWith('{') ? JSON.parse(text) : {});

/** `-B`: no compiled files beside the sources. */
export async function python(args: readonly string[]): Promise<Outcome> {
  const { code, stdout, stderr } = await runPython([
    '-B',
    join(pythonFolder, 'verifier.py'),
    ...args,
    '--releases',
    releases,
    '--json',
  ]);
  return { code, said: stdout ? readJson(stdout) : { what: stderr } };
}

export async function node(args: readonly string[]): Promise<Outcome> {
  const { code, stdout, stderr } = await svc([...args, '--json']);
  return { code, said: stdout ? readJson(stdout) : { what: stderr } };
}

let files = 0;
export function written(content: unknown): string {
  const file = join(folder, `file-${files++}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** Both programs say the same about the file; the Python one's words come back. */
export async function bothSay(
  t: Test,
  title: string,
  args: readonly string[],
  exit: number,
): Promise<Outcome> {
  const [here, there] = await Promise.all([node(args), python(args)]);
  t.equal(here.code, exit, `svc: ${title}: ${here.said.what ?? ''}`);
  t.equal(there.code, exit, `Python: ${title}: ${there.said.what ?? ''}`);
  if (exit !== 2 && args[0] === 'verify') t.equal(there.said.verdict, here.said.verdict, `${title}: verdict`);
  return there;
}
