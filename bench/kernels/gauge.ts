import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, type Measured, quick, type Row, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 7;
const groups = ['Z2', 'U(1)', 'SU(2)'] as const;
const betas = [1.2, 5, 8];
const U1 = 1;
const L = 32;
const samples = quick ? 64 : 320;
const linkUpdates = samples * 2 * L * L;

/** The mean plaquette of U(1): the C chain draws the same numbers, so that it must find the same. */
let meanPlaquette = 0;

/** M per second of processor time. */
function rate(count: number, work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return count / (user + system);
}

const gaugeAlone = kernelAlone('gauge');

/** Link updates with measurement and draws. */
function kernelRate(group: number): number {
  const parameters = new Layout().f64(group, betas[group]!, L, 0, 0, 0, samples, 0, 0).u64(1n).f64(1).bytes();
  let result: Uint8Array = new Uint8Array();
  const measured = rate(linkUpdates, () => {
    result = gaugeAlone(parameters).result;
  });
  const [n, , , , , , sumOfP] = new Float64Array(result.slice().buffer);
  if (group === U1) meanPlaquette = sumOfP! / n!;
  return measured;
}

/** @throws Error where its chain is another: rounding of libm apart, the two must agree */
async function nativeRate(peer: NativePeer<{ rate: number; checksum: number }>): Promise<number> {
  const { rate, checksum } = await peer.round();
  if (Math.abs(checksum - meanPlaquette) > 1e-9)
    throw new Error(`gauge.c has the mean plaquette ${checksum}, the kernel ${meanPlaquette}`);
  return rate / 1e6;
}

// ---- what anybody would write first --------------------------------------------------------------------

const cosine = new Float64Array(2 * L * L);
const sine = new Float64Array(2 * L * L);
const site = (y: number, x: number) => ((y + L) % L) * L + ((x + L) % L);

/** Angle with the weight e^{κ cos} by Best & Fisher, Appl. Statist. 28 (1979) 152. */
function vonMises(kappa: number): number {
  const tau = 1 + Math.sqrt(1 + 4 * kappa * kappa);
  const rho = (tau - Math.sqrt(2 * tau)) / (2 * kappa);
  const r = (1 + rho * rho) / (2 * rho);
  for (;;) {
    const z = Math.cos(Math.PI * Math.random());
    const f = (1 + r * z) / (r + z);
    const c = kappa * (r - f);
    const u = Math.random();
    if (c * (2 - c) > u || Math.log(c / u) + 1 - c >= 0) return Math.sign(Math.random() - 0.5) * Math.acos(f);
  }
}

/** Adds the product of three links, each as it is (1) or conjugate (−1), to `staple`. */
const staple: [number, number] = [0, 0];
function addStaple(a: number, sa: number, b: number, sb: number, c: number, sc: number): void {
  const re = cosine[a]! * cosine[b]! - sa * sine[a]! * sb * sine[b]!;
  const im = cosine[a]! * sb * sine[b]! + sa * sine[a]! * cosine[b]!;
  staple[0] += re * cosine[c]! - im * sc * sine[c]!;
  staple[1] += re * sc * sine[c]! + im * cosine[c]!;
}

function update(direction: number, y: number, x: number): void {
  const V = L * L;
  staple.fill(0);
  if (direction === 0) {
    addStaple(V + site(y, x + 1), 1, site(y + 1, x), -1, V + site(y, x), -1);
    addStaple(V + site(y - 1, x + 1), -1, site(y - 1, x), -1, V + site(y - 1, x), 1);
  } else {
    addStaple(site(y, x - 1), 1, site(y + 1, x - 1), -1, V + site(y, x - 1), -1);
    addStaple(site(y, x), -1, V + site(y, x + 1), -1, site(y + 1, x), 1);
  }
  const angle = vonMises(betas[U1]! * Math.hypot(...staple)) - Math.atan2(staple[1], staple[0]);
  cosine[direction * V + site(y, x)] = Math.cos(angle);
  sine[direction * V + site(y, x)] = Math.sin(angle);
}

/** Σ cos of the plaquettes over all sweeps: kept, so that no engine may leave the chain out. */
export let javascriptSum = 0;
function javascriptRate(): number {
  cosine.fill(1);
  sine.fill(0);
  return rate(linkUpdates, () => {
    for (let sweep = 0; sweep < samples; sweep++) javascriptSweep();
  });
}

function javascriptSweep(): void {
  for (const direction of [0, 1])
    for (let y = 0; y < L; y++) for (let x = 0; x < L; x++) update(direction, y, x);
  for (let y = 0; y < L; y++) {
    for (let x = 0; x < L; x++) {
      staple.fill(0);
      addStaple(L * L + site(y, x + 1), 1, site(y + 1, x), -1, L * L + site(y, x), -1);
      const here = site(y, x);
      javascriptSum += cosine[here]! * staple[0] - sine[here]! * staple[1];
    }
  }
}

/** Heat bath in two dimensions. The floor of 10 M/s for U(1) is absolute, whatever the machine is doing. */
export const figure: Figure = {
  title: `kernels: gauge, heat bath, ${L} × ${L} → M link updates/s, against native C and JavaScript`,
  async run() {
    const ways = nativeMissing ? [] : (['libm', 'same'] as const);
    const peers = ways.map(
      (way) => new NativePeer<{ rate: number; checksum: number }>('gauge', [way, betas[U1]!, L, samples]),
    );
    const contenders: Record<string, Contender> = { javascript: javascriptRate };
    groups.forEach((name, group) => {
      contenders[name] = () => kernelRate(group);
    });
    ways.forEach((way, i) => {
      contenders[way] = () => nativeRate(peers[i]!);
    });
    const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
    for (const peer of peers) peer.close();
    return rows(measured);
  },
};

function rows(measured: Record<string, number>): Row[] {
  const native = (way: string) => measured[way] ?? (nativeMissing || 'not measured');
  const value = measured['U(1)']!;
  const u1 = { figure: 'kernels: gauge, U(1) link updates', value, unit: 'M/s' };
  const peers: Measured[] = [
    { ...u1, against: 'C strict, libm', peer: native('libm') },
    { ...u1, against: 'C strict, same series', peer: native('same') },
    { ...u1, against: 'JavaScript, Math.random', peer: measured.javascript! },
    { ...u1, against: 'rate asked for', peer: 10, goal: { atLeast: 1 } },
  ];
  const others = (['Z2', 'SU(2)'] as const).map(
    (name): Row => ({ figure: `kernels: gauge, ${name} link updates`, value: measured[name]!, unit: 'M/s' }),
  );
  return [...peers.map(rated), ...others];
}
