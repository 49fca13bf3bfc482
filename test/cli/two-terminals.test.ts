import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { natsMissing } from '../servers/nats.ts';
import { svcUp } from './node-process.ts';
import { type Ended, svcPath } from './svc.ts';

// What docs/mesh.md says under 'Two terminals', as it stands there: only the address is that of a free port, and the
// run a tenth as long.

t.setTimeout(400_000);
const folder = mkdtempSync(join(tmpdir(), 'svc-terminals-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(join(repositoryRoot, 'docs', 'mesh.md'), 'utf8');
const section = page.slice(page.indexOf('## Two terminals'), page.indexOf('## A mesh of several machines'));
const commands = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines!);

/** The second terminal. On standard error each `svc` leaves its verb and its exit code. */
function terminal(script: string): Promise<Ended> {
  const npx = `npx() { shift; '${process.execPath}' '${svcPath}' "$@"; local code=$?; echo "[$1 $code]" >&2; return $code; }`;
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1', SVC_THREADS: '1' } };
  return new Promise((resolve) => {
    execFile('bash', ['-c', `${npx}\n${script}`], options, (error, stdout, stderr) =>
      resolve({ code: error ? -1 : 0, stdout, stderr }),
    );
  });
}

t.test(
  'whoever follows docs/mesh.md kills a node, and sees the run go on and a verdict',
  { skip: natsMissing },
  async (t) => {
    const [begun, ...rest] = commands;
    t.equal(begun, 'npx svc up --mesh 2 --data ./mesh-data\n');
    const node = await svcUp(join(folder, 'mesh-data'), ['--port', '0', '--mesh', '2']);
    t.teardown(() => node.end('SIGTERM'));
    const says = async (words: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = words.exec(node.said());
        if (found) return found;
        if (node.child.exitCode !== null) throw new Error(node.log());
        await delay(50);
      }
    };
    for (const number of [1, 2]) await says(new RegExp(`^contributor-${number}: admitted$`, 'm'));

    const script = rest.join('\n').replaceAll('http://127.0.0.1:8787', node.url);
    t.match(script, '"t_max": 300');
    let isOver = false;
    const followed = terminal(script.replace('"t_max": 300', '"t_max": 30')).then((ended) => {
      isOver = true;
      return ended;
    });
    const [, victim] = await says(/^(contributor-\d): shown /m);
    const [, pid] = await says(new RegExp(`^${victim}: process (\\d+)$`, 'm'));
    process.kill(Number(pid), 'SIGKILL');
    await says(new RegExp(`^${victim}: ended with SIGKILL$`, 'm'));
    t.notOk(isOver, 'it was killed while the run went on');

    const { stdout, stderr } = await followed;
    t.strictSame(
      stderr.match(/^\[\w+ \d+\]$/gm),
      ['[account 0]', '[key 0]', '[run 0]', '[verify 0]', '[challenge 0]', '[challenge 1]', '[verdict 0]'],
      stderr,
    );
    t.match(stdout, /^SOUND: /m);
    t.match(
      stdout,
      /^AGREES: all \d+ runs gave the same digests/m,
      'the run is what this machine makes of it',
    );
    t.match(stdout, /^DISPUTED: segment 3 of run 0 /m);
    t.match(stdout, /^challenger_wrong: segment 3 came out as it was sealed/m);
    t.match(stdout, /^HOLDS: run 0, segment 3 came out here with /m);
  },
);
