import t from 'tap';
import { checkRate, LEAST_RATE, MATCHES_PER_HALVING } from '../../../mesh/decide/trust.ts';

t.test('each eight matches halve the rate, and none brings it below one in 32', async (t) => {
  const table: [number, number][] = [
    ...([
      [0, 1],
      [7, 1],
      [8, 1 / 2],
      [15, 1 / 2],
      [16, 1 / 4],
      [24, 1 / 8],
    ] as [number, number][]),
    ...([
      [32, 1 / 16],
      [40, 1 / 32],
      [48, 1 / 32],
      [1e9, 1 / 32],
    ] as [number, number][]),
  ];
  for (const [matches, rate] of table) t.equal(checkRate(matches), rate, `${matches} matches`);
  t.equal(MATCHES_PER_HALVING, 8);
});

t.test('in the steady state checks cost less than 5 % of the work', async (t) => {
  t.ok(LEAST_RATE < 0.05);
});

t.test('the rate never rises with matches', async (t) => {
  for (let matches = 0; matches < 100; matches++)
    if (checkRate(matches + 1) > checkRate(matches)) t.fail(`${matches}`);
});
