import t from 'tap';
import { PATIENCE_TICKS } from '../../../mesh/decide/pace.ts';
import { type Broken, brokenDecisions } from './broken.ts';
import { Random } from './random.ts';
import {
  babblingScenario,
  fickleScenario,
  irreproducibleScenario,
  lonelyScenario,
  losingScenario,
  recuttingScenario,
  slanderingScenario,
  stallingScenario,
} from './scenario.ts';
import { type Outcome, simulate } from './simulation.ts';

/** `SIM_SEED=n` runs that seed alone and tells all that happens in it. */
const chosen = process.env.SIM_SEED;
const SEEDS = 400;
const BROKEN_SEEDS = 600;

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
    const share = ({ recovery, most }: Outcome) => recovery / most;
    const worst = outcomes.reduce((a, b) => (share(b) > share(a) ? b : a));
    t.ok(share(worst) < 1, `${worst.recovery} ticks of ${Math.floor(worst.most)}, seed ${worst.seed}`);
  });

  t.test('the seeds are no idle ones: liars are caught, and lies that nobody drew are there', async (t) => {
    const sum = (of: keyof Outcome['counts']) =>
      outcomes.reduce((total, { counts }) => total + counts[of], 0);
    t.ok(sum('accepted') > 5 * SEEDS, `${sum('accepted')} segments accepted`);
    t.ok(sum('checks') > 3 * SEEDS, `${sum('checks')} checks`);
    t.ok(sum('slashed') > SEEDS / 10, `${sum('slashed')} bonds withheld`);
    t.ok(sum('falselyAccepted') > 0, `${sum('falselyAccepted')} lies that nobody honest looked at`);
  });

  t.test('a seed replays to the same end', async (t) => {
    const lines: string[][] = [[], []];
    for (const told of lines) simulate({ seed: 90, trace: (line) => told.push(line) });
    t.ok(lines[0]!.length > 50);
    t.same(lines[0], lines[1]);
  });

  t.test('a node that shows a segment now and then holds a run up for two minutes', async (t) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { violation, recovery, most } = simulate({ seed, scenario: stallingScenario(new Random(seed)) });
      t.equal(violation, undefined);
      t.ok(recovery < 2 * (PATIENCE_TICKS + 20), `${recovery} ticks`);
      t.ok(recovery < most);
    }
  });

  t.test('liars do not hide one another, though they check one another', async (t) => {
    for (let seed = 1; seed <= 20; seed++)
      t.equal(simulate({ seed, scenario: slanderingScenario(new Random(seed)) }).violation, undefined);
  });

  t.test('trusted liars, and bytes that are lost: who is found out has no word, and no pay', async (t) => {
    const sums = { doubted: 0, takenBack: 0 };
    const scenarios = [
      irreproducibleScenario,
      babblingScenario,
      lonelyScenario,
      fickleScenario,
      losingScenario,
      recuttingScenario,
    ];
    for (let seed = 1; seed <= 60; seed++)
      for (const scenario of scenarios) {
        const { violation, counts } = simulate({ seed, scenario: scenario(new Random(seed)) });
        t.equal(violation, undefined, `${scenario.name} ${seed}`);
        sums.doubted += counts.doubted;
        sums.takenBack += counts.takenBack;
      }
    t.ok(sums.doubted > 10, `${sums.doubted} runs of which the service ran a part again`);
    t.ok(sums.takenBack > 10, `${sums.takenBack} lines of pay taken back`);
  });

  t.test(`a decision that forgets a rule is found out within ${BROKEN_SEEDS} seeds`, async (t) => {
    for (const broken of brokenDecisions)
      t.match(firstViolation(broken) ?? 'nothing', broken.found, broken.rule);
  });
}

function firstViolation({ decide, pay, manners, scenario }: Broken): string | undefined {
  for (let seed = 1; seed <= BROKEN_SEEDS; seed++) {
    const { violation } = simulate({ seed, decide, pay, manners, scenario: scenario?.(new Random(seed)) });
    if (violation) return violation;
  }
  return undefined;
}
