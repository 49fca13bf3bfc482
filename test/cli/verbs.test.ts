import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ownOptions } from '../../src/cli/verbs/solver-flags.ts';
import { verbs } from '../../src/cli/verbs.ts';
import { flags } from '../../src/solvers/input.ts';
import { solvers } from '../../src/solvers/registry.ts';
import { oscillator } from '../spine/test-node.ts';
import { type Ended, svc, svcPath } from './svc.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-verbs-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const data = ['--data', at('data')];
const here = (...args: string[]): Promise<Ended> => svc([...args, ...data]);

t.test(
  'help says what stands for a figure of the machine, so its page is the same on every one',
  async (t) => {
    const { stdout } = await svc(['contribute', '--help']);
    t.match(stdout, /--threads <count> +runs at once \(default: every core\)/);
    t.match(stdout, /--memory <MiB> [^-]*\(default:\s+half\s+of\s+the\s+machine’s\)/);
  },
);

t.test('every verb has help with an example and its exit codes', async (t) => {
  const root = await svc(['--help']);
  t.equal(root.code, 0);
  const nested = [
    'account create',
    'account show',
    'account grant',
    'key create',
    'key revoke',
    'operators search',
    'operators show',
    'run solve',
    'quote solve',
  ];
  await Promise.all(
    [...verbs.map((verb) => verb.name), ...nested].map(async (name) => {
      const { code, stdout } = await svc([...name.split(' '), '--help']);
      t.equal(code, 0, name);
      t.match(stdout, new RegExp(`Example:\\n  .*svc (${name})`), name);
      t.match(stdout, /Exit: 0 /, name);
      if (!name.includes(' ')) t.ok(root.stdout.includes(`  ${name} `), `${name} is listed`);
    }),
  );
});

t.test("a solver's flags come from its schema, with units and limits", async (t) => {
  for (const { id, input } of solvers)
    for (const { name } of flags(input)) t.notOk(ownOptions.has(name), `${id}: --${name} is a field's alone`);
  const { stdout } = await svc(['run', 'multibody', '--help']);
  for (const { name } of flags(solvers.find(({ id }) => id === 'multibody')!.input))
    t.ok(stdout.includes(`--${name} `), name);
  t.match(stdout, /--dt <value> .*\[a\s+number above 0 in s\]/s);
});

t.test('a request that is refused at sight leaves nothing behind', async (t) => {
  for (const verb of ['run', 'quote'])
    for (const flags of [[], ['--group', 'Z2', '--beta', '-1', '--L', '3']]) {
      const { code } = await svc([verb, 'gauge', ...flags, '--data', at('untouched')]);
      t.equal(code, 1);
      t.notOk(existsSync(at('untouched')));
    }
});

t.test('what is not understood ends with 2 and names the nearest', async (t) => {
  const cases: [string[], RegExp][] = [
    [['verfy'], /unknown command 'verfy'\n\(Did you mean verify\?\)/],
    [['run', 'multybody'], /unknown command 'multybody'\n\(Did you mean multibody\?\)/],
    [['run', 'solve', '--inptus.m', '2'], /--inptus\.m is no flag here; did you mean --inputs\.m\?/],
    [['run', 'solve', '--jsom'], /did you mean --json\?/],
    [['run', 'zeta', '--t', '10', '--t', '11'], /--t is given twice/],
    [['run', 'solve', '--inputs.'], /--inputs\. is no flag here/],
    [['run', 'solve', '--inputs.m'], /option '--inputs\.m <value>' argument missing/],
    [['run', 'solve', 'm=2'], /‘m=2’ is no flag; flags read --name value/],
    [['run', 'heat', '--Lx', '5', 'm'], /‘m’ is no flag; .* with the unit at the number, 5m or "5 m"/],
    [['run', 'solve', '--input', at('nowhere.json')], /there is no file .*nowhere\.json/],
    [['verify'], /missing required argument 'file'/],
    [['verify', at('nowhere.json')], /there is no file/],
    [['verify', folder], /is a folder, not a file/],
    [['verify', at('text.json')], /cannot be read/],
    [['verify', at('text.json'), '--key', 'nonsense'], /--key .*name\+8 hexadecimal digits/],
    [['verify', at('text.json'), '--key', 'a+00000000+%'], /--key .*not base 64/],
    [['verify', at('text.json'), '--key', ''], /./],
    [['verify', at('escapes.json')], /Unexpected token '\\u\{1b\}'/],
    [['rerun', at('text.json')], /cannot be read/],
    [['jobs', '--url', 'nowhere'], /is no URL of a node/],
    [['key', 'create'], /required option '--account <zid>'/],
  ];
  writeFileSync(at('text.json'), 'not an answer');
  writeFileSync(at('escapes.json'), '\x1b[31mRED');
  await Promise.all(
    cases.map(async ([args, sentence]) => {
      const { code, stdout, stderr } = await svc(args);
      t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: sentence }, args.join(' '));
      t.notMatch(stderr, /\n\s+at /, 'no stack');
    }),
  );
  await Promise.all(
    cases.map(async ([args, sentence]) => {
      const asked = args[0] === 'run' ? args.toSpliced(2, 0, '--json') : [...args, '--json'];
      const { code, stdout, stderr } = await svc(asked);
      t.match({ code, stderr }, { code: 2, stderr: '' }, `${asked.join(' ')}: nothing beside the JSON`);
      const { error } = JSON.parse(stdout);
      t.match(error, { code: /^[A-Z_]+$/, message: String });
      if (!asked.includes(at('escapes.json'))) t.match(error.message, sentence);
    }),
  );
});

t.test('what is refused ends with 1, in a sentence or as JSON', async (t) => {
  const cases: [string[], string][] = [
    [['run', 'solve', '--inputs.t_end', '3'], 'MISSING_INPUT'],
    [['run', 'compute', '--operators', 'SP7', '--inputs.P_signal', '10W'], 'MISSING_INPUT'],
    [['run', 'compute', '--operators', 'NOPE', '--inputs.x', '1'], 'UNKNOWN_OPERATOR'],
    [['quote', 'solve', '--inputs.m', '2stone'], 'INVALID_INPUT'],
    [['key', 'create', '--account', 'nobody'], 'NOT_FOUND'],
    [['key', 'revoke', '0123456789ab'], 'NOT_FOUND'],
    [['account', 'show', 'nobody'], 'NOT_FOUND'],
    [['account', 'create', '--fuel-hours', 'many'], 'INVALID_INPUT'],
  ];
  await Promise.all(
    cases.map(async ([args, code]) => {
      t.match(
        await here(...args),
        { code: 1, stdout: '', stderr: new RegExp(`^(opened .*\n)?${code}: .`) },
        args.join(' '),
      );
      const asJson = await here(...args, '--json');
      t.match(
        { code: asJson.code, body: JSON.parse(asJson.stdout) },
        { code: 1, body: { error: { code, message: String } } },
      );
    }),
  );
});

t.test('a run on this machine, with flags over an input', async (t) => {
  const input = JSON.stringify(oscillator);
  const out = at('answer.json');
  const plain = await svc(['run', 'solve', '--input', '-', '--out', out, ...data], { input });
  t.match(plain, { code: 0, stdout: /^-0\.0551672\d+ m\n/, stderr: /"continue": "job_[0-9a-f]+"/ });
  t.match(plain.stdout, /held .*\nx|x \(m\)/s, 'gates and a plot');
  t.match(plain.stdout, new RegExp(`svc verify ${out}`));
  const asked = ['--input', at('oscillator.json')];
  writeFileSync(asked[1]!, input);
  const flags = ['--inputs.x0=-10cm', '--inputs.m', '2000 g', '--inputs.t_end', '{"value": 3, "unit": "s"}'];
  const mirrored = await svc(['run', 'solve', ...asked, ...flags, '--json', ...data]);
  const { value, request } = JSON.parse(mirrored.stdout);
  t.match(request.inputs, { x0: -0.1, m: 2, t_end: 3 });
  t.ok(Math.abs(value / 0.0551672173869299 - 1) < 1e-3, 'the equation is linear');
  const quote = await svc(['quote', 'solve', ...asked, '--json', ...data]);
  t.equal(
    JSON.parse(quote.stdout).price_plancks,
    JSON.parse(readFileSync(out, 'utf8')).charges.price_plancks,
  );
  t.notMatch((await svc(['quote', 'solve', ...asked, ...data])).stdout, /expected/, 'it is exact');
  const option = {
    mode: 'option',
    type: 'european',
    right: 'call',
    S0: 100,
    K: 100,
    r: 0.05,
    sigma: 0.2,
    T: 1,
  };
  const ceiling = await svc(['quote', 'quant', '--input', '-', ...data], { input: JSON.stringify(option) });
  t.match(
    ceiling.stdout,
    /^quant costs at most \d+ plancks: .*\nexpected: \d+ plancks, .*\nthe most is the price of \d+ points .*\nmemory/,
  );
});

t.test('where an answer cannot be written is seen before it is charged', async (t) => {
  const runTo = (out: string) =>
    svc(['run', 'solve', '--input', at('oscillator.json'), '--out', out, ...data]);
  const spendable = async () => JSON.parse((await here('account', 'show', 'local', '--json')).stdout);
  const before = await spendable();
  for (const [out, why] of [
    [at('nowhere/x.json'), /there is no folder .*nowhere/],
    [at('answer.json/x.json'), /answer\.json is not a folder/],
    [folder, /it is a folder/],
    ['', /the name is empty/],
  ] as const)
    t.match(await runTo(out), { code: 2, stdout: '', stderr: why }, out);
  t.same(await spendable(), before, 'nothing was charged');
  const shown = await runTo('-');
  t.match(shown, { code: 0, stderr: /"continue"/ });
  t.match(JSON.parse(shown.stdout), { envelope: Object, value: Number }, '- is standard output');
  t.notOk(existsSync('-'));
  if (!existsSync('/dev/full')) return;
  const full = await runTo('/dev/full');
  t.match(full, { code: 1, stderr: /the disk is full.*standard output instead/s });
  t.match(JSON.parse(full.stdout), { envelope: Object }, 'what was charged is shown');
});

t.test('verify and rerun judge a file: 0 sound, 1 not (and where) or unknown, 2 unreadable', async (t) => {
  const out = at('answer.json');
  const vkey = (await here('identity')).stdout.trim();
  const text = readFileSync(out, 'utf8');
  const changed = (change: (answer: { value: number; runs: { digests: string[] }[] }) => void) => {
    const answer = JSON.parse(text);
    change(answer);
    const file = at(`changed-${Math.abs(answer.value)}.json`);
    writeFileSync(file, JSON.stringify(answer));
    return file;
  };
  t.match(await svc(['verify', out, '--key', vkey]), { code: 0, stdout: /^SOUND: / });
  t.match(
    await svc(['verify', out, '--key', vkey]),
    { stdout: /vouched for by nobody until svc rerun FILE: .*\/runs\/0\/steps/ },
    'steps are not in the seal: the last segment could have had others',
  );
  t.match(await here('verify', out), { code: 0, stdout: /^SOUND: / }, "this machine's own node is known");
  mkdirSync(at('damaged'));
  writeFileSync(at('damaged/node-keys.json'), 'garbage');
  const beside = ['--data', at('damaged')];
  t.match(await svc(['verify', out, '--key', vkey, ...beside]), { code: 0 }, 'a key is all that it takes');
  writeFileSync(at('damaged/known-nodes.json'), JSON.stringify({ a: 'a+00000000+%' }));
  rmSync(at('damaged/node-keys.json'));
  const stderr = /damaged\/known-nodes\.json cannot be read: not base 64/;
  t.match(await svc(['verify', out, ...beside]), { code: 2, stderr }, 'and which file is damaged is said');
  const other = ['--data', at('other')];
  t.match(await svc(['verify', out, ...other]), { code: 1, stdout: /^UNKNOWN_NODE: / });
  t.match(await svc(['verify', '-', '--key', vkey], { input: text }), { code: 0, stdout: /^SOUND/ });
  t.match(await svc(['rerun', out]), { code: 0, stdout: /^AGREES: / });
  const wrongValue = changed((answer) => {
    answer.value += 1e-9;
  });
  t.match(await svc(['verify', wrongValue, '--key', vkey]), {
    code: 1,
    stdout: /^NOT_SOUND: .*\n.*\n.*\/value/,
  });
  const asJson = await svc(['verify', wrongValue, '--key', vkey, '--json']);
  t.match(
    { code: asJson.code, body: JSON.parse(asJson.stdout) },
    { code: 1, body: { sound: false, verdict: 'NOT_SOUND' } },
  );
  const wrongDigest = changed((answer) => {
    answer.runs[0]!.digests[0] = '0'.repeat(64);
  });
  t.match(await svc(['rerun', wrongDigest]), { code: 1, stdout: /^DIFFERS: .*segment/ });
  const shown: [RegExp, (answer: Shown) => unknown][] = [
    [/^\/gates\/0\/name: /, (answer) => (answer.gates[0]!.name = 'x')],
    [/^\/runs\/0\/label: /, (answer) => (answer.runs[0]!.label = 'x')],
    [/^\/added: /, (answer) => (answer.added = 'x')],
  ];
  for (const [where, change] of shown) {
    const { code, stdout } = await svc(['rerun', changed(change as never)]);
    t.match({ code, stdout }, { code: 1, stdout: /though every run agrees/ });
    t.match(stdout.replace('DIFFERS: ', ''), where);
    t.notMatch(stdout, /run \d+ \(/, 'no run is blamed');
  }
  const unknown = JSON.parse((await svc(['verify', out, '--json', ...other])).stdout);
  t.match(unknown, { sound: false, verdict: 'UNKNOWN_NODE' });
});

t.test('a bundle needs nobody', async (t) => {
  const vkey = (await here('identity')).stdout.trim();
  t.match(await here('bundle', at('answer.json'), '--out', at('bundle.json')), {
    code: 0,
    stdout: /\d+ kernels/,
  });
  t.match(await svc(['verify', at('bundle.json'), '--key', vkey]), { code: 0 });
  for (const text of ['null', '[]', '7', '{}', '{"format":"svc-bundle-1"}', 'no JSON']) {
    writeFileSync(at('none.json'), text);
    const stderr = /none\.json (cannot be read: |is not JSON)/;
    t.match(await here('bundle', at('none.json')), { code: 2, stdout: '', stderr }, text);
  }
  t.match(await svc(['rerun', at('bundle.json'), '--json']), { code: 0, stdout: /"agrees": true/ });
});

t.test('accounts, keys, backup and audit', async (t) => {
  const json = async (...args: string[]) => JSON.parse((await here(...args, '--json')).stdout);
  const { zid } = await json('account', 'create', '--fuel-hours', '2.5');
  t.match(await json('account', 'show', zid), { fuel_plancks: '9000000000000', bond_plancks: '0' });
  await json('account', 'grant', zid, '--fuel-hours', '0.5');
  t.match(await here('account', 'show', zid), { code: 0, stdout: /3 h of fuel/ });
  for (const [hours, most] of [
    ['2562047', '2562044.788015215'], // 2^63 - 1 plancks are 2562047.788… h, of which 3 are granted
    ['99999999', '2562047.788015215'],
  ])
    t.match(await here('account', 'grant', zid, '--fuel-hours', hours!), {
      code: 1,
      stderr: new RegExp(`--fuel-hours must be at most ${most} compute-hours`),
    });
  const { key, id } = await json('key', 'create', '--account', zid);
  t.match(key, /^svc_ak_[0-9a-f]{52}$/);
  t.same(await json('key', 'revoke', id), { id, revoked: true });
  t.match(await json('audit'), { sound: true, problems: [] });
  t.match(await json('backup', at('backup')), { rows: Number, sha256: /^[0-9a-f]{64}$/ });
  t.match(await here('backup', at('backup')), { code: 1, stderr: /never overwrites/ });
  for (const verb of [['backup', at('empty')], ['audit']]) {
    const mistyped = await svc([...verb, '--data', at('mistyped')]);
    t.match(mistyped, { code: 1, stderr: /NOT_FOUND: .*mistyped holds no store/ });
  }
  t.notOk(existsSync(at('mistyped')) || existsSync(at('empty')), 'nothing is made for a mistyped folder');
  const restored = ['--data', at('restored')];
  t.match(await svc(['restore', at('backup'), ...restored]), {
    code: 0,
    stdout: /^restored \d+ rows .*\nthis folder has no keys/,
  });
  t.match(await svc(['account', 'show', zid, ...restored]), { code: 0, stdout: /3 h of fuel/ });
  await json('account', 'grant', zid, '--fuel-hours', '0.00001');
  t.match(await here('account', 'show', zid), { code: 0, stdout: /3\.00001 h of fuel/ });
});

interface Shown {
  gates: { name: string }[];
  runs: { label: string }[];
  added?: string;
}

/** What a command loads, of this repository and of packages. */
async function loadedBy(t: Test, ...args: string[]): Promise<string[]> {
  const trace = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(\`
    import { writeSync } from 'node:fs';
    export async function load(url, context, next) { writeSync(2, url + '\\\\n'); return next(url, context); }\`));`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(trace)}` };
  const { code, stderr } = await svc([...args, ...data], { env });
  t.equal(code, 0, args[0]);
  return stderr.split('\n').filter((line) => line.startsWith('file:'));
}

t.test('verify loads neither the server nor the store nor the solvers', async (t) => {
  const loaded = await loadedBy(t, 'verify', at('answer.json'));
  t.ok(loaded.length > 10, `${loaded.length} modules`);
  t.same(
    loaded.filter((url) => /fastify|libsql|piscina|typebox|\/solvers\/|\/http\//.test(url)),
    [],
  );
});

t.test('what only reads and writes records loads no solver and starts no thread', async (t) => {
  for (const args of [
    ['account', 'show', 'local'],
    ['bundle', at('answer.json'), '--json', '--out', at('again.json')],
  ]) {
    const loaded = await loadedBy(t, ...args);
    const has = (words: RegExp) => loaded.filter((url) => words.test(url));
    t.ok(has(/libsql/).length > 0, args[0]);
    t.same(has(/fastify|piscina|typebox|registry|\/http\//), [], args[0]);
  }
});

t.test('operators and constants are looked up without a node', async (t) => {
  const found = await svc(['operators', 'search', 'SP7', '--json']);
  t.match(JSON.parse(found.stdout).results[0], { id: 'SP7', category: 'signal_processing' });
  t.match(
    (await svc(['operators', 'show', 'SP7'])).stdout,
    /required +P_signal, .*\n.*P_noise.*\ngives .* in dB/,
  );
  t.match(await svc(['operators', 'show', 'SP77']), {
    code: 1,
    stderr: /UNKNOWN_OPERATOR: .*nearest is SP7\b/,
  });
  t.match(await svc(['operators', 'search', 'x', '--limit', '0']), { code: 2, stderr: /from 1 to 9999/ });
  t.match((await svc(['constants', 'h'])).stdout, /^h {2}6\.62607015e-34 /, 'CODATA 2022');
  t.match(
    (await svc(['constants', 'electron', 'mass'])).stdout,
    /^m_e {2}9\.1093837139e-31 ± 0\.0000000028e-31 kg/m,
  );
  t.match(await svc(['constants', 'm_ee']), { code: 1, stderr: /NOT_FOUND: .*nearest is m_e\b/ });
});

t.test('a reader that closes the pipe early is no failure', async (t) => {
  const child = spawn(process.execPath, [svcPath, 'constants'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  t.equal(code, 0);
  t.equal(said, '');
});
