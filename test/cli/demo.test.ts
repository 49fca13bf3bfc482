import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { G, outerSolarSystem } from '../../src/cli/demo/outer-solar-system.ts';
import { repositoryRoot } from '../root.ts';
import { svc } from './svc.ts';

const execute = promisify(execFile);
type Triples = number[][];

/** NASA planetary fact sheets: semi-major axes in au, inner to outer. */
const semiMajorAxes = [5.204, 9.582, 19.201, 30.07, 39.482];

t.test("the published initial data give the planets' orbits", async (t) => {
  const { position, velocity, mass } = outerSolarSystem(1, 1) as Record<string, { value: unknown }>;
  const [r, v] = [position!.value as Triples, velocity!.value as Triples];
  const m = mass!.value as number[];
  const square = (vector: number[]) => vector.reduce((sum, x) => sum + x * x, 0);
  for (const [i, axis] of semiMajorAxes.entries()) {
    const mu = G * (m[0]! + m[i + 1]!);
    const a = 1 / (2 / Math.sqrt(square(r[i + 1]!)) - square(v[i + 1]!) / mu); // vis-viva
    t.ok(Math.abs(a / axis - 1) < 0.01, `${a} au against ${axis} au`);
  }
});

t.test('the demo ends in a sealed answer that verifies and re-runs, and leaves nothing else', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-demo-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const demo = join(repositoryRoot, 'dist', 'src', 'cli', 'demo.js');
  const env = { ...process.env, TMPDIR: folder, NO_COLOR: '1' };
  const { stdout } = await execute(process.execPath, [demo], { cwd: folder, env });
  for (const claim of ['█', 'SOUND', 'AGREES', 'Next']) t.ok(stdout.includes(claim), claim);
  const price = /price +([\d,]+) plancks/.exec(stdout)?.[1];
  t.equal(/charged +([\d,]+) plancks/.exec(stdout)?.[1], price, 'charged what was quoted');
  t.ok(price);
  t.same(readdirSync(folder), ['demo-answer.json'], "the node's data are gone");
  const key = /--key '([^']+)'/.exec(stdout)![1]!;
  const check = await svc(['verify', join(folder, 'demo-answer.json'), '--key', key, '--data', folder]);
  t.match(check, { code: 0, stdout: 'SOUND' }, 'the first command it names works');
  const stranger = await svc(['verify', join(folder, 'demo-answer.json'), '--data', folder]);
  t.match(stranger, { code: 1, stdout: 'UNKNOWN_NODE' });
});
