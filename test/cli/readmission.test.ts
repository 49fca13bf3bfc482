import t from 'tap';
import type { Mode } from '../../mesh/desk.ts';
import type { NodeState } from '../../src/cli/contribution.ts';
import { Readmission } from '../../src/cli/readmission.ts';
import { Refusal } from '../../src/errors/refusal.ts';

/** A service that knows one node, and what the node's terminal says of it. */
function scene(state: NodeState, admit: () => void = () => undefined) {
  const seen = { state, switched: [] as Mode[], admissions: 0, said: [] as string[], lines: [] as string[] };
  const readmission = new Readmission({
    contribution: {
      state: async () => seen.state,
      switchTo: async (mode) => void seen.switched.push(mode),
    },
    admit: async () => {
      seen.admissions++;
      admit();
      seen.state = 'admitted';
    },
    say: ({ kind }, line) => {
      seen.said.push(kind);
      seen.lines.push(line);
    },
  });
  return { seen, readmission };
}

t.test('a node that was switched to idle is left alone', async (t) => {
  const { seen, readmission } = scene('admitted');
  await readmission.look();
  t.match(seen, { admissions: 0, said: [], switched: [] });
});

t.test('a node that left elsewhere says so, is admitted again and stays idle', async (t) => {
  const { seen, readmission } = scene('left');
  await Promise.all([readmission.look(), readmission.look()]);
  await readmission.look();
  t.match(seen, { admissions: 1, said: ['left-elsewhere', 'admitted'], switched: ['idle'] });
  t.match(seen.lines[0], /another process with its key has left the mesh/);
  t.match(seen.lines[1], /svc mode contributing/);
  seen.state = 'left';
  await readmission.look();
  t.equal(seen.said.length, 4, 'and each time that it happens');
});

t.test('a service that cannot admit it now is asked again, and the reason is said once', async (t) => {
  let failures = 2;
  const { seen, readmission } = scene('left', () => {
    if (failures-- === 2) throw new Error('fetch failed');
    if (failures === 0) throw new Refusal('STORE_UNAVAILABLE', 'The store is being restored.');
  });
  for (let i = 0; i < 3; i++) await readmission.look();
  t.match(seen, { admissions: 3, said: ['left-elsewhere', 'admitted'] });
});

t.test('what is final is said once, and nobody asks any more', async (t) => {
  const refused = scene('left', () => {
    throw new Refusal('FORBIDDEN', 'This node belongs to another account, for ever.');
  });
  const barred = scene('barred');
  for (const { readmission } of [refused, refused, barred, barred]) await readmission.look();
  t.match(refused.seen, { admissions: 1, said: ['left-elsewhere', 'not-admitted'] });
  t.match(refused.seen.lines[1], /belongs to another account/);
  t.match(barred.seen, { admissions: 0, said: ['barred'] });
});

t.test('who leaves looks no more', async (t) => {
  const { seen, readmission } = scene('left');
  const begun = readmission.look();
  await readmission.stop();
  await begun;
  t.equal(seen.admissions, 1, 'what was begun is over');
  seen.state = 'left';
  await readmission.look();
  t.equal(seen.admissions, 1);
});
