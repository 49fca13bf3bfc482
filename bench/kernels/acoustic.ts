import { cornersOf, linesTowards } from '../../src/solvers/acoustic/grading.ts';
import { layMask, type Mask } from '../../src/solvers/acoustic/numbering.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

/** Elements on the edge of a cell of an L of three cells; one mode above rest. */
const fine = quick ? 8 : 16;
const rounds = quick ? 3 : 7;
const columns = 4 * fine + 1;
const nodes = 3 * (2 * fine) ** 2 + 8 * fine + 1;
/** Nodes of a row and two beside it, twice. */
const band = 2 * columns + 2;
const cells = [
  [1, 1],
  [1, 0],
];
const mask = (N: number): Mask => ({
  ...{ cells, h: 1, open: [0, 0, 0, 0, 0], fine: N },
  lines: linesTowards(cells, N % 4 === 0 ? N / 4 : 1, cornersOf(cells)),
});
const parameters = layMask(mask(fine), [2, 120, 1]).bytes();

const maskAlone = kernelAlone('acoustic-mask');
const wallsAlone = kernelAlone('acoustic-mask-wall');

/** Unknowns factorised per second of processor time: a run factorises twice, and iterates in between. */
function kernelRate(): number {
  const before = process.cpuUsage();
  const { status } = maskAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  if (status !== 1) throw new Error(`the run ended with ${status}`);
  return (2e6 * nodes) / (user + system);
}

/** Elements on the edge of a cell of the same L between impedances of 10 ρc: its first mode, followed and counted. */
const coarse = quick ? 2 : 6;
const wallNodes = 3 * (2 * coarse) ** 2 + 8 * coarse + 1;
/** Nodes are numbered along the side of 4·coarse + 1. */
const wallBand = 2 * (4 * coarse + 1) + 2;
/** k² of modes between rigid walls: Dauge’s benchmark. */
const squares = [0, 1.47562182, 3.53403137];
const ofWalls = layMask(mask(coarse))
  .f64(0, 2, 1, 1, 3000, 1, 0, ...Array(5).fill([0.1, 0]).flat(), 0, 0, 0, 0, 0, ...squares)
  .bytes();

/** Unknowns factorised per second of processor time: nearly every step is a factorisation of T(κ). */
function wallRate(): number {
  const before = process.cpuUsage();
  const { status, steps } = wallsAlone(ofWalls);
  const { user, system } = process.cpuUsage(before);
  if (status !== 1) throw new Error(`the run ended with ${status}`);
  return (1e6 * wallNodes * steps) / (user + system);
}

/** Modes between impedances beside nothing but the complex factors of the same band. */
async function wallRow(): Promise<Row> {
  const row = { figure: 'kernels: acoustic, unknowns between impedances', unit: '1/s', against: 'C strict' };
  if (nativeMissing) {
    const { ours } = await alternatingMedians(rounds, { ours: wallRate });
    return rated({ ...row, value: ours, peer: nativeMissing });
  }
  const native = new NativePeer('acoustic-wall', [wallNodes, wallBand, quick ? 20 : 100]);
  const { ours, c } = await alternatingMedians(rounds, {
    ours: wallRate,
    c: async () => (await native.round()).rate,
  });
  native.close();
  return rated({ ...row, value: ours, peer: c });
}

/** The whole run beside nothing but the factors, of the band that the cavity has as a whole. */
export const figure: Figure = {
  title: `kernels: acoustic, ${nodes} unknowns → unknowns factorised/s in a run for modes, against the factors of a band in C strict`,
  async run() {
    const row = { figure: 'kernels: acoustic, unknowns factorised', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing }), await wallRow()];
    }
    const native = new NativePeer('acoustic', [nodes, band, 2]);
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c }), await wallRow()];
  },
};
