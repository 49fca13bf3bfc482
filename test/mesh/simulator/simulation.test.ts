import t from 'tap';
import { brokenDecisions } from './broken.ts';
import { MOST_RECOVERY_TICKS, type Outcome, simulate } from './simulation.ts';

/** `SIM_SEED=n` runs that seed alone and tells all that happens in it. */
const chosen = process.env.SIM_SEED;
const SEEDS = 400;
const BROKEN_SEEDS = 300;

const replayed = (seed: number): string =>
  `SIM_SEED=${seed} node dist/test/mesh/simulator/simulation.test.js tells what happened`;

if (chosen !== undefined)
  t.test(`seed ${chosen}`, async (t) => {
    const { violation, recovery, counts } = simulate({
      seed: Number(chosen),
      trace: (line) => process.stderr.write(`${line}\n`),
    });
    t.equal(violation, undefined);
    t.comment(`over ${recovery} ticks after the last fault; ${JSON.stringify(counts)}`);
  });
else {
  const outcomes = Array.from({ length: SEEDS }, (_, i) => simulate({ seed: i + 1 }));

  t.test(`${SEEDS} seeds of liars, crashes, losses and partitions break no promise`, async (t) => {
    for (const { seed, violation } of outcomes) if (violation) t.fail(`${violation}: ${replayed(seed)}`);
    t.ok(outcomes.every(({ violation }) => violation === undefined));
  });

  t.test('every run is over a while after the last fault, whoever goes on lying', async (t) => {
    const worst = outcomes.reduce((a, b) => (b.recovery > a.recovery ? b : a));
    t.ok(worst.recovery < MOST_RECOVERY_TICKS, `${worst.recovery} ticks, seed ${worst.seed}`);
  });

  t.test('the seeds are no idle ones: liars are caught, and lies that nobody drew are there', async (t) => {
    const sum = (of: keyof Outcome['counts']) =>
      outcomes.reduce((total, { counts }) => total + counts[of], 0);
    t.ok(sum('accepted') > 5 * SEEDS, `${sum('accepted')} segments accepted`);
    t.ok(sum('checks') > 5 * SEEDS, `${sum('checks')} checks`);
    t.ok(sum('slashed') > SEEDS / 10, `${sum('slashed')} bonds withheld`);
    t.ok(sum('falselyAccepted') > 0, `${sum('falselyAccepted')} lies that nobody honest looked at`);
  });

  t.test('a seed replays to the same end', async (t) => {
    const lines: string[][] = [[], []];
    for (const told of lines) simulate({ seed: 7, trace: (line) => told.push(line) });
    t.ok(lines[0]!.length > 50);
    t.same(lines[0], lines[1]);
  });

  t.test(`a decision that forgets a rule is found out within ${BROKEN_SEEDS} seeds`, async (t) => {
    for (const { rule, found, decide } of brokenDecisions) {
      const violation = firstViolation(decide);
      t.match(violation ?? 'nothing', found, rule);
    }
  });
}

function firstViolation(decide: (typeof brokenDecisions)[number]['decide']): string | undefined {
  for (let seed = 1; seed <= BROKEN_SEEDS; seed++) {
    const { violation } = simulate({ seed, decide });
    if (violation) return violation;
  }
  return undefined;
}
