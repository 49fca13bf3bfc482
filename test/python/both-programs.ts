import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { knownReleases } from '../../workers/rerun-releases.ts';
import { repositoryRoot } from '../root.ts';
import { python as interpreter } from '../servers/python.ts';
import { type Ended, WarmProgram } from '../servers/warm-program.ts';

// The two programs that judge a file: `svc`, and verifier.py with Wasmtime.

export interface Outcome {
  readonly code: number | null;
  readonly said: Record<string, never> & { verdict?: string; what?: string };
}

export const folder = mkdtempSync(join(tmpdir(), 'python-verifier-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

export const pythonFolder = join(repositoryRoot, 'test', 'python');
const releases = join(folder, 'releases.json');
writeFileSync(releases, JSON.stringify(knownReleases()));
export const dataFolder = join(folder, 'data');

const hostFile = fileURLToPath(new URL('../cli/svc-host.js', import.meta.url));
const svcHost = new WarmProgram(process.execPath, [hostFile], { NO_COLOR: '1', SVC_DATA_DIR: dataFolder });

/** Runs `svc` on the data folder of these tests. */
export const svc = (args: readonly string[]): Promise<Ended> => svcHost.run(args);

// Loads verifier.py once and runs it for one line of arguments after another; `-B`: no compiled files beside the sources.
const verifierHost = `
import contextlib, io, json, sys, traceback
import verifier
for line in sys.stdin:
    sys.argv[1:] = json.loads(line)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = verifier.main()
        except SystemExit as end:
            code = end.code
        except Exception:
            code = traceback.print_exc() or -1
    print(json.dumps({"code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}), flush=True)
`;
const verifier = new WarmProgram(String(interpreter), ['-B', '-c', verifierHost], {
  PYTHONPATH: pythonFolder,
});

const readJson = (text: string) => (text.startsWith('{') ? JSON.parse(text) : {});

const outcome = ({ code, stdout, stderr }: Ended): Outcome => ({
  code,
  said: stdout ? readJson(stdout) : { what: stderr },
});

/** Runs verifier.py. */
export const python = async (args: readonly string[]): Promise<Outcome> => {
  const known = args[0] === 'verdict' ? [] : ['--releases', releases];
  return outcome(await verifier.run([...args, ...known, '--json']));
};

/** Runs `svc`. */
export const node = async (args: readonly string[]): Promise<Outcome> =>
  outcome(await svc([...args, '--json']));

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
