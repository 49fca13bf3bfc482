import t from 'tap';
import type { ContributorEvent, ContributorStatus } from '../../mesh/contributor/events.ts';
import { Block, bar, eventLine, noticeJson, statusBlock } from '../../src/cli/contribution-view.ts';

// What the owner of a contributor sees, without a terminal.

const status: ContributorStatus = {
  ...{ mode: 'contributing', answers: true, threads: 3, spans: 12, work: 3_500_000_000n, checks: 2 },
  occupations: [
    {
      ...{ run: 'job_1-0', kind: 'run', from: 4, segment: 41, share: 0.52 },
      ...{ segmentsPerSecond: 3.24, waits: false },
    },
    {
      ...{ run: 'job_2-1', kind: 'second', from: 7, segment: 9, through: 12, share: 1 / 3 },
      ...{ segmentsPerSecond: 0.05, waits: true },
    },
  ],
  losses: [{ run: 'job_0-0', reason: 'fenced' }],
};
const url = 'http://127.0.0.1:8787';
const node = 'UABCDEFGHIJKLMNOP';

t.test('the block names what runs with a bar and a pace, what is shown and what is lost', async (t) => {
  t.same(statusBlock({ url, node, status }), [
    'contributing at http://127.0.0.1:8787 as UABCDEFG…',
    '  run     job_1-0  ██████████░░░░░░░░░░ 52 %  segment 41  3.2 segments/s',
    '  second  job_2-1  ███████░░░░░░░░░░░░░ 33 %  segment 9 of …12  waits for a thread',
    '  2 of 3 threads free',
    '  shown 12 spans, 3.500 s of work; 2 checks',
    '  lost job_0-0: another node goes on with it, or what it stood on was refuted',
  ]);
});

t.test('coins are counted from the start of the process, and unpaid work has its reason', async (t) => {
  const unpaid = [
    { run: 'job_0-0', reason: 'The lease was over: another node went on with the run.', at: '1' },
  ];
  const atFirst = { coins: '1', workUnits: 3_600_000_000_000n, pending: '0', accepted: 0, unpaid: [] };
  const earned = { coins: '1.0005', workUnits: 3_601_800_000_000n, pending: '0', accepted: 9, unpaid };
  const lines = statusBlock({ url, node, status: { ...status, losses: [] }, earned, atFirst });
  t.same(lines.slice(-2), [
    '  accepted 9 spans and checks; credited 1.800 s since the start; 1.0005 coins in the account',
    '  unpaid job_0-0: The lease was over: another node went on with the run.',
  ]);
  const waiting = statusBlock({ url, node, status, earned: { ...earned, pending: '0.25' }, atFirst });
  t.match(waiting.join('\n'), '1.0005 coins in the account, 0.25 when the jobs are over');
  const taken = { ...earned, workUnits: 0n };
  t.match(statusBlock({ url, node, status, earned: taken, atFirst }).join('\n'), 'coins were taken back');
});

t.test('a service that does not answer is said so, and that nothing stops for it', async (t) => {
  const [first] = statusBlock({ url, node, status: { ...status, answers: false } });
  t.match(first, /does not answer; what runs goes on/);
});

t.test('a bar never leaves its room', async (t) => {
  for (const share of [-1, 0, 0.5, 1, 7, Number.NaN]) t.equal([...bar(share)].length, 20, String(share));
});

const events: readonly [ContributorEvent, string][] = [
  [{ kind: 'mode', mode: 'idle' }, 'mode idle'],
  [{ kind: 'service', answers: false }, 'the service does not answer; what runs goes on'],
  [{ kind: 'leased', run: 'r', from: 3 }, 'runs r from segment 3'],
  [{ kind: 'span', run: 'r', from: 3, to: 4, work: 2_000_000n }, 'shown r segments 3 to 4, 2.00 ms of work'],
  [{ kind: 'ended', run: 'r', status: 1 }, 'ended r with a result'],
  [{ kind: 'ended', run: 'r', status: 17 }, 'ended r with status 17'],
  [
    { kind: 'checking', run: 'r', check: 'third', from: 3, through: 5 },
    'checks r segments 3 to 5 (third execution)',
  ],
  [{ kind: 'checked', run: 'r', check: 'second', from: 3, through: 5 }, 'checked r segments 3 to 5'],
  [{ kind: 'lost', run: 'r', reason: 'ended' }, 'lost r: the run is over'],
  [{ kind: 'returned', run: 'r', reason: 'it trapped', failed: true }, 'gave back r: it trapped'],
];

t.test('each event is a line of words and a line of JSON', async (t) => {
  for (const [event, line] of events) {
    t.equal(eventLine(event), line);
    const json = noticeJson(event);
    t.notMatch(json, '\n');
    t.equal(JSON.parse(json).kind, event.kind);
  }
});

t.test('what a service sent cannot move the cursor', async (t) => {
  const lost: ContributorEvent = { kind: 'lost', run: '\u001b[2J', reason: '\r\n' };
  t.notMatch(eventLine(lost), /\p{Cc}/u);
  const losses = [{ run: '\u001b[2J', reason: '\u001b[1A' }];
  t.notMatch(statusBlock({ url, node, status: { ...status, losses } }).join(''), /\p{Cc}/u);
});

t.test('the block is drawn over itself, no line wider than the terminal', async (t) => {
  let written = '';
  const stream = { columns: 12, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  const block = new Block(stream);
  block.draw(['one', 'a line that is too long']);
  block.draw(['two']);
  block.clear();
  t.equal(written, 'one\na line that\n\x1b[2A\x1b[Jtwo\n\x1b[1A\x1b[J');
});
