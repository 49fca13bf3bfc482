import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import pc from 'picocolors';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { type RunningServer, serve } from '../http/server.ts';
import { plancksPerHour } from '../ledger/plancks.ts';
import { ServiceNode } from '../node.ts';
import type { Answer } from '../proof/answer.ts';
import { readAnswer } from '../proof/read-answer.ts';
import { verifyAnswer } from '../proof/verify.ts';
import { bodies, METRES_PER_AU, outerSolarSystem, source } from './demo/outer-solar-system.ts';
import { coreTime, ProgressLine, print, report } from './output.ts';
import { fetchAnswer, type Progress, percentDone, watchJob, writeAnswer } from './ran.ts';
import { RemoteNode } from './remote.ts';

/**
 * `npm run demo`: a node, an account, a real problem, its sealed answer, and what a stranger does with that answer.
 * Everything goes the way of any client, over HTTP; the node and its data are gone at the end, the answer stays.
 */

const YEARS = 100_000;
const STEP_DAYS = 30;

let chapters = 0;
const chapter = (title: string): void => print(`\n${pc.bold(`${++chapters}  ${title}`)}`);
const line = (text: string): void => print(`   ${text}`);
const row = (name: string, text: string): void => line(`${name.padEnd(10)} ${text}`);
const grouped = (n: number | string): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

async function openAccount(node: ServiceNode, server: RunningServer): Promise<RemoteNode> {
  chapter('A node of your own, and an account on it');
  const { zid } = await node.accounts.create({ label: 'demo', fuel: plancksPerHour });
  const { key } = await node.accounts.mintKey(zid);
  row('node', `${node.name} at ${server.url}`);
  row('account', `${zid}, with 1 compute-hour of fuel`);
  row('key', `${key.slice(0, 15)}… (shown once; the node keeps only its hash)`);
  return new RemoteNode(server.url, key);
}

async function quote(remote: RemoteNode, request: unknown): Promise<void> {
  chapter(`The problem: the outer solar system, for ${grouped(YEARS)} years`);
  row('bodies', bodies.join(', '));
  row('data', source);
  row(
    'method',
    `symplectic, order 6 (Yoshida 1990), a step every ${STEP_DAYS} days; once more with half the step`,
  );
  const price = await remote.json<{ price_plancks: string; exact: boolean }>(
    { price_plancks: 'count' },
    'POST',
    '/api/svc/multibody/quote',
    request,
  );
  const { price_plancks, exact } = price;
  row(
    'price',
    `${exact ? '' : 'at most '}${grouped(price_plancks)} plancks, known before it runs: ${coreTime(price_plancks)} of a core`,
  );
}

/** On a terminal one line that is written over; elsewhere a line each quarter. */
function progressShower(): { show: (progress: Progress) => void; end: () => void } {
  const bar = new ProgressLine();
  let quarter = 0;
  const show = (progress: Progress) => {
    const percent = percentDone(progress);
    const years = progress.runs
      .filter(({ of }) => of)
      .map(({ steps, of }) => grouped(Math.floor((YEARS * steps) / of!)));
    const gauge = '█'.repeat(Math.floor(percent / 4)).padEnd(25, '░');
    const text = `${gauge} ${percent.toFixed(0).padStart(3)} %  year ${years.join(', with half the step ')}`;
    if (process.stderr.isTTY) bar.show(`   ${text}`);
    else if (percent >= 25 * (quarter + 1)) {
      quarter = Math.floor(percent / 25);
      line(text);
    }
  };
  return { show, end: () => bar.clear() };
}

async function run(remote: RemoteNode, request: unknown, file: string): Promise<void> {
  chapter('It runs');
  const began = performance.now();
  const headers = { prefer: 'respond-async' };
  const { job } = await remote.json<{ job: string }>(
    { job: 'text' },
    'POST',
    '/api/svc/multibody',
    request,
    headers,
  );
  const { show, end } = progressShower();
  await watchJob(remote, job, show).finally(end);
  const ran = await fetchAnswer(remote, job);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  line(`done: ${grouped(ran.answer.charges.work)} units of work in ${seconds} s on this machine`);
  showResult(ran.answer);
  const bytes = await writeAnswer(ran, file);
  row('saved', `${shown(file)} (${grouped(Math.ceil(bytes / 1000))} kB, with its kernels: it needs nobody)`);
}

function showResult(answer: Answer): void {
  chapter('The result, sealed');
  row('energy', `${answer.value} ${answer.unit}, of all six bodies together`);
  row('distances', `from the Sun after ${grouped(YEARS)} years, in au:`);
  row('', distances(answer));
  for (const { name, relError, bound } of answer.gates)
    row('gate', `${pc.green('held')}  ${name}: error ${relError.toExponential(1)}, allowed ${bound}`);
  showReceipt(answer);
}

function distances(answer: Answer): string {
  const { finalState } = answer as unknown as {
    finalState: { position: [number, number, number][] };
  };
  const [sun, ...planets] = finalState.position;
  const au = planets.map((planet) => Math.hypot(...planet.map((x, i) => x - sun![i]!)) / METRES_PER_AU);
  return au.map((distance, i) => `${bodies[i + 1]} ${distance.toFixed(2)}`).join(', ');
}

function showReceipt({ envelope, receipt, charges }: Answer): void {
  const { from_bond_plancks, from_fuel_plancks } = charges;
  row(
    'charged',
    `${grouped(from_fuel_plancks)} plancks from fuel, ${grouped(from_bond_plancks)} from a bond`,
  );
  row('envelope', 'binds the request, the kernels and the digest of every state to one job root:');
  row('', envelope.jobRoot);
  row(
    'receipt',
    `leaf ${receipt.log.index} of the node's log, under a head signed with the node's Ed25519 key,`,
  );
  row(
    '',
    `at tick ${grouped(envelope.tick)} since the Unix epoch, of ${grouped(receipt.tick_period_ns)} ns each`,
  );
}

function verify(file: string, vkey: string): void {
  chapter("A stranger checks it, offline, with the node's public key and nothing else");
  const result = verifyAnswer(readAnswer(readFileSync(file)), { vkeys: [vkey] });
  if (!result.sound) throw new DemoFailed(`The answer does not verify: ${result.detail}`);
  line(`${pc.green(result.verdict)}    ${result.detail.split('; ', 1)[0]}`);
  line(`         ${result.checks.length} checks hold, from the gate's numbers to the signature of the log`);
}

async function rerun(file: string): Promise<void> {
  chapter('…and runs it again, the very kernels by their digests');
  const bar = new ProgressLine();
  const catalogue = new KernelCatalogue();
  const result = await reexecute(readAnswer(readFileSync(file)), {
    kernel: (digest) => catalogue.bytes(digest),
    onProgress: (index, of, steps) => bar.show(`   run ${index + 1} of ${of}, step ${grouped(steps)}`),
  });
  bar.clear();
  if (!result.agrees) throw new DemoFailed(`The re-run differs: ${result.detail}`);
  line(`${pc.green('AGREES')}   ${result.detail.replace('; job root ', '; job root\n            ')}`);
}

const shown = (file: string): string => {
  const path = relative('', file);
  return path.startsWith('..') ? file : path;
};

function answerFile(): string {
  const here = process.cwd();
  try {
    accessSync(here, constants.W_OK);
    return join(here, 'demo-answer.json');
  } catch {
    return join(tmpdir(), 'demo-answer.json');
  }
}

function next(file: string, vkey: string): void {
  print(`\n${pc.bold('Next')}`);
  print(`  npx svc verify ${shown(file)} --key '${vkey}'`);
  print(
    '  npx svc run solve --inputs.t_end 3s --inputs.m 2kg --inputs.c 0.4 --inputs.k 50 --inputs.x0 10cm --inputs.v0 0',
  );
  print('  npx svc up        a node that stays; then open http://127.0.0.1:8787/api/docs');
}

/** @returns exit code */
export async function demo(): Promise<number> {
  const began = performance.now();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  let server: RunningServer | undefined;
  try {
    print('proofmesh: a result that you need not believe, because you can check it');
    const node = await ServiceNode.open({ dataDir });
    server = await serve(node, { host: '127.0.0.1', port: 0, logLevel: 'silent', requestsPerMinute: 0 });
    const remote = await openAccount(node, server);
    const request = outerSolarSystem(YEARS, STEP_DAYS);
    const file = answerFile();
    await quote(remote, request);
    await run(remote, request, file);
    verify(file, node.vkey);
    await rerun(file);
    next(file, node.vkey);
    print(
      `\nTook ${((performance.now() - began) / 1000).toFixed(0)} s. The node and its data are removed; the answer stays.`,
    );
    return 0;
  } catch (error) {
    return report(error, false);
  } finally {
    await server?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

process.exitCode = await demo();
