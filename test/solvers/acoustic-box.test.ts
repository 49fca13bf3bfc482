import t from 'tap';
import { acoustic } from '../../src/solvers/acoustic.ts';
import { absorbed, closed, court, frame, hall, wall } from './acoustic-box.ts';
import { fieldOf, solved as solvedBy } from './solver-test.ts';

const solved = (body: object) => solvedBy(acoustic, body);
const resultOf = async (body: object) => (await solved(body)).verdict.value;
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

t.test('a box is the same upside down, and with y and z changed', async (t) => {
  const { domain, boundary, probe } = frame;
  const [x, y, z] = probe as [number, number, number];
  const walled = { ...boundary, top: wall(3, -1) };
  const was = await resultOf({ ...frame, boundary: walled });
  const turned = await resultOf({
    ...frame,
    boundary: { ...walled, bottom: walled.top, top: walled.bottom },
    probe: [x, domain.Ly - y, z],
  });
  const changed = await resultOf({
    ...frame,
    domain: { ...domain, Ly: domain.Lz, Lz: domain.Ly },
    boundary: {
      right: walled.right,
      bottom: walled.front,
      top: walled.back,
      front: walled.bottom,
      back: walled.top,
    },
    probe: [x, z, y],
  });
  t.ok(relative(turned, was) < 1e-9, `${turned}, ${was}`);
  t.ok(relative(changed, was) < 1e-9, `${changed}, ${was}`);
});

t.test('walls that hardly give way make the tube between rigid ones', async (t) => {
  const hard = await resultOf({ ...hall, boundary: { ...closed, top: wall(1e7), front: wall(1e7) } });
  t.ok(relative(hard, await resultOf({ ...hall, boundary: closed })) < 1e-6);
});

t.test('one word stands for all sides', async (t) => {
  const open = { right: 'open', bottom: 'open', top: 'open', front: 'open', back: 'open' };
  t.equal(await resultOf({ ...frame, boundary: 'open' }), await resultOf({ ...frame, boundary: open }));
});

t.test('a mode that the piston does not drive is no resonance', async (t) => {
  // Half a wave more across: of the other symmetry.
  await t.resolves(solved({ ...court, frequency: 343 }));
});

t.test('what comes into a box goes through its walls or is lost', async (t) => {
  const { power } = (
    await solved({
      ...frame,
      eta: 0.03,
      boundary: { right: wall(2), bottom: wall(1, 2), top: 'open', front: wall(5, -1), back: wall(3) },
    })
  ).presentation.outputs as { power: Record<'incoming' | 'outgoing' | 'lost', number> };
  t.ok(power.outgoing > 0 && power.lost > 0);
  t.ok(relative(power.outgoing + power.lost, power.incoming) < 1e-9);
});

t.test('lines of p go through the probe from wall to wall', async (t) => {
  const body = { ...court, probe: [0.75, 0.5, 0.4] };
  const job = await solved(body);
  for (const [name, length] of [
    ['x', 1.5],
    ['y', 1],
    ['z', 0.8],
  ] as const) {
    const [at, p] = [fieldOf(job, name), fieldOf(job, `p_${name}`)];
    t.strictSame([at[0], at.at(-1), p.length], [0, length, 129]);
    t.ok(relative(p[64]!, job.verdict.value) < 1e-9, name);
  }
  const y = fieldOf(job, 'p_y');
  t.ok(Math.max(y[0]!, y.at(-1)!) < 1e-12, 'open');
});

t.test('a spectrum is what the frequencies give one by one', async (t) => {
  const job = await solved(absorbed);
  const [at, found] = [fieldOf(job, 'frequency'), fieldOf(job, 'response')];
  for (const i of [0, 11, 16, 32])
    t.ok(relative(found[i]!, await resultOf({ ...absorbed, frequency: at[i] })) < 1e-3, `${at[i]} Hz`);
});

t.test('the error falls with the elements', async (t) => {
  // test/fixtures/acoustic/driven-box.py. About corners p is r² log r, so that it is no power.
  const body = { ...absorbed, frequency: 300, probe: [0.7, 0.3, 0.2] };
  const error = async (N: number) => relative(await resultOf({ ...body, N }), 0.2417005259);
  const [coarse, middle, fine] = [await error(6), await error(12), await error(24)];
  t.ok(middle < coarse / 8 && fine < middle / 8, `${coarse}, ${middle}, ${fine}`);
});
