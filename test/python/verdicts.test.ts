/**
 * Verdicts of challenges in the hands of two implementations: of a real one and of each that differs from it in one
 * member, whole signatures all, `svc verdict` and verifier.py say the same.
 */
import t, { type Test } from 'tap';
import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import { noteSigner, vkeyText } from '../../src/proof/note.ts';
import { readStatement, signStatement } from '../../src/proof/statement.ts';
import { court, settledView, slander } from '../challenges/challenged.ts';
import type { SealedJob } from '../challenges/lying.ts';
import { pythonMissing } from '../servers/python.ts';
import { figureEight } from '../spine/test-node.ts';
import { node as here, type Outcome, python as there, written } from './both-programs.ts';

type Content = Readonly<Record<string, unknown>>;
interface Case {
  readonly content: Content;
  readonly answer: string;
  readonly text: string;
  readonly runs: SealedJob['runs'];
}

const skip = pythonMissing;
t.setTimeout(600_000);

const api = skip ? undefined : await court(t);
/** Another key under the name of the node: what it signs is whole, whatever it says. */
const signer = noteSigner(api?.node.name ?? 'none', new Uint8Array(32).fill(9));
const note = (content: Content) => signStatement(signer, 'svc-verdict-1', content).note;

const wordHere = ({ code, said }: Outcome) =>
  code === 2 ? 'UNREADABLE' : (said as { again?: { holds: boolean } }).again?.holds ? 'HOLDS' : 'FAILS';

/** What both say of a verdict. */
async function bothSay(t: Test, title: string, text: string, answer: string): Promise<string | undefined> {
  const args = ['verdict', written(text), '--answer', answer, '--key', vkeyText(signer)];
  const [one, other] = await Promise.all([here(args), there(args)]);
  const word = wordHere(one);
  t.equal(other.said.verdict, word, `${title}: ${one.said.what} / ${other.said.what}`);
  return word;
}

/** Every verdict that differs from it in one member, with its place. */
function* altered(value: unknown, at = ''): Generator<readonly [at: string, other: unknown]> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      for (const [where, other] of altered(inner, `${at}/${name}`))
        yield [where, { ...value, [name]: other }];
      const { [name]: _, ...without } = value as Content;
      yield [`${at}/${name} missing`, without];
    }
    yield [`${at}/more`, { ...value, more: 1 }];
  } else for (const other of othersOf(value)) yield [`${at} ${JSON.stringify(other)}`, other];
}

const outcomes = ['contributor_wrong', 'challenger_wrong', 'not_reproducible'];

function othersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return [[...value, 'another']];
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value + 0.5, null];
  if (value === null) return ['ab'.repeat(32), '7', 7];
  const text = value as string;
  if (outcomes.includes(text)) return outcomes.filter((word) => word !== text);
  return [text.replace(/[0-8](?=[^0-8]*$)/, (digit) => `${Number(digit) + 1}`), `${text}0`];
}

async function caseOf(
  title: string,
  sealed: SealedJob,
  claims: typeof slander | undefined,
  at: [number, number],
) {
  const { stranger } = api!;
  const difference = claims ? claims(sealed, ...at) : (await stranger.rerun(sealed))!;
  const { challenge } = await stranger.contest(sealed, difference);
  const { verdict } = await settledView(api!, challenge);
  const { content } = readStatement(verdict, [api!.node.vkey]);
  return [title, { content, answer: written(sealed.text), text: sealed.text, runs: sealed.runs }] as const;
}

const cases = new Map<string, Case>();

t.before(async () => {
  if (!api) return;
  const less = {
    falsified: (run: { work: bigint }, i: number) => (i === 1 ? { ...run, work: run.work - 1000n } : run),
  };
  const long = { steps: 1, body: { ...figureEight, t_max: 90 } };
  for (const each of [
    await caseOf('a lie', await api.seal({ run: 0, segment: 9 }), undefined, [0, 9]),
    await caseOf('slander', await api.seal(undefined), slander, [1, 7]),
    await caseOf('neither', await api.seal({ run: 0, segment: 5 }), slander, [0, 5]),
    await caseOf('other work', await api.seal(undefined, less as never), undefined, [1, 0]),
    await caseOf('a span', await api.seal({ run: 0, segment: 11_111 }, long), undefined, [0, 0]),
  ])
    cases.set(...each);
});

t.test('both find that the verdicts of challenges hold', { skip }, async (t) => {
  for (const [title, { content, answer }] of cases)
    t.equal(await bothSay(t, title, note(content), answer), 'HOLDS', title);
  t.same(
    [...cases.values()].map(({ content: { outcome } }) => outcome),
    ['contributor_wrong', 'challenger_wrong', 'not_reproducible', 'contributor_wrong', 'contributor_wrong'],
  );
});

/** What only who signs can say: the words are their own, and nobody can run them again. */
const ownWords =
  /^\/(challenge|detail|engine_version|tick|t_ns|faulty|third\/(node|engine)|service\/(node|engine)) /;

t.test('both say the same of every verdict that differs in one member', { skip }, async (t) => {
  for (const title of ['a lie', 'other work']) {
    const { content, answer } = cases.get(title)!;
    const service = content.service as Content;
    const whole = { ...content, third: { ...service, node: 'a third' } };
    t.equal(await bothSay(t, `${title}, with a third`, note(whole), answer), 'HOLDS');
    for (const [at, other] of altered(whole)) {
      const word = await bothSay(t, `${title}${at}`, note(other as Content), answer);
      if (!ownWords.test(at)) t.not(word, 'HOLDS', `${title}${at}`);
    }
  }
});

t.test('both know the segments at which a search ends', { skip }, async (t) => {
  const { content, answer } = cases.get('a span')!;
  t.match(content, { from: 11_110, through: 11_111 });
  for (const change of [
    { through: 11_110 },
    { from: 11_111 },
    { from: 11_108 },
    { through: 11_113 },
    { agreed: false },
  ])
    t.equal(await bothSay(t, JSON.stringify(change), note({ ...content, ...change }), answer), 'FAILS');
});

t.test('a verdict against a side that said nothing wrong holds in neither', { skip }, async (t) => {
  const { content, answer } = cases.get('slander')!;
  const { sealed, service } = content as Record<'sealed' | 'service', Content>;
  const twins: [string, Content][] = [
    ['who says what was sealed slanders nobody', { challenger: sealed }],
    [
      'work of a segment that is not the last',
      { challenger: { ...(content.challenger as Content), work: '1' } },
    ],
    [
      'a run that was not sealed so',
      {
        ...{ outcome: 'contributor_wrong', revoked: true },
        ...{ sealed: content.challenger, challenger: sealed, faulty: ['a contributor'] },
      },
    ],
    ['the bond of the third', { third: { ...service, node: 'a third' }, faulty: ['a third'] }],
  ];
  for (const [title, twin] of twins)
    t.equal(await bothSay(t, title, note({ ...content, ...twin }), answer), 'FAILS', title);
  const last = cases.get('other work')!;
  const ends = last.content as Record<'sealed' | 'challenger' | 'service', Content>;
  const invented = {
    ...{ outcome: 'challenger_wrong', revoked: false, faulty: [] },
    ...{ sealed: { ...ends.sealed, work: ends.service.work }, challenger: ends.sealed },
  };
  t.equal(await bothSay(t, 'work', note({ ...last.content, ...invented }), last.answer), 'FAILS');
});

t.test('a verdict about segments at which no search ends holds in neither', { skip }, async (t) => {
  const honest = cases.get('slander')!;
  const digests = honest.runs[1]!.digests as string[];
  const { sealed, service } = honest.content as Record<'sealed' | 'service', Content>;
  const hash = toHex(merkleRoot(digests.slice(4, 10).map(fromHex)));
  const wide = { from: 4, through: 9, before: digests[3], sealed: { ...sealed, hash } };
  const several = { ...honest.content, ...wide, service: { ...service, hash } };
  t.equal(await bothSay(t, 'several', note(several), honest.answer), 'FAILS');
  const { content, answer, runs } = cases.get('other work')!;
  const behind: Record<string, unknown> = { from: runs[1]!.segments + 1 };
  behind.before = (runs[1]!.digests as string[]).at(-1);
  for (const side of ['sealed', 'challenger', 'service'])
    behind[side] = { ...(content[side] as Content), hash: toHex(merkleRoot([])) };
  t.equal(await bothSay(t, 'none', note({ ...content, ...behind }), answer), 'FAILS');
});

t.test('where nobody is right the execution is held all the same, and no bond', { skip }, async (t) => {
  const { content, answer } = cases.get('neither')!;
  const service = { ...(content.service as Content), hash: 'ab'.repeat(32) };
  for (const twin of [{ service }, { faulty: ['a contributor'] }])
    t.equal(await bothSay(t, Object.keys(twin).join(), note({ ...content, ...twin }), answer), 'FAILS');
});

t.test('an answer whose digests were exchanged makes no verdict hold', { skip }, async (t) => {
  const { content, text, runs } = cases.get('slander')!;
  const claim = (content.challenger as { hash: string }).hash;
  const bundle = JSON.parse(text) as { answer: object };
  const run = { ...runs[1]!, digests: [...(runs[1]!.digests as string[])] };
  run.digests[7] = '07'.repeat(32);
  const { sealed } = content as { sealed: Content };
  const twin = {
    ...{ outcome: 'contributor_wrong', revoked: true, faulty: ['a contributor'] },
    ...{ sealed: { ...sealed, hash: claim }, challenger: sealed },
  };
  for (const root of [run.root, toHex(merkleRoot(run.digests.map(fromHex)))]) {
    const answer = { ...bundle.answer, runs: runs.with(1, { ...run, root }) };
    t.equal(await bothSay(t, root, note({ ...content, ...twin }), written({ ...bundle, answer })), 'FAILS');
  }
});

t.test('both read no verdict that another signed, or that names another as its node', { skip }, async (t) => {
  const { content, answer } = cases.get('slander')!;
  const other = { ...content, node: 'another' };
  t.equal(await bothSay(t, 'of another node', note(other), answer), 'UNREADABLE');
  const torn = note(content).replace('"outcome":"ch', '"outcome":"Ch');
  t.equal(await bothSay(t, 'torn', torn, answer), 'UNREADABLE');
  t.equal(await bothSay(t, 'cut off', note(content).slice(0, -9), answer), 'UNREADABLE');
});
