import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { testApp } from './test-app.ts';

interface Input {
  symbol: string;
  aliases: string[];
  unit: string | null;
  accepts: string;
}
const roles = ['required', 'conditional', 'assumed', 'optional'] as const;

t.test('POST /api/svc/operator-spec', async (t) => {
  const api = await testApp(t);
  const ask = (operators: unknown) =>
    api.post('/api/svc/operator-spec', { operators }, { authorization: '' });

  t.test(
    'gives the inputs of an operator by role, with aliases, unit and domain in words (OP-03)',
    async (t) => {
      const { status, body } = await ask('SP7');
      t.equal(status, 200);
      const [spec] = body.operators;
      t.match(spec, {
        ...{ id: 'SP7', category: 'signal_processing', refuses: null },
        result: { unit: 'dB' },
        conditional: [],
        assumed: [],
      });
      const [signal] = spec.required as Input[];
      t.match(signal, { symbol: 'P_signal', unit: 'W', accepts: /a finite number .*W/ });
      t.ok(signal!.aliases.length > 0);
      t.equal(body.registry_version, registry().version);
    },
  );

  t.test('every input of every row stands under exactly one role', async (t) => {
    const ids = [...registry().rows.keys()].slice(0, 100);
    const { body } = await ask(ids);
    t.same(
      body.operators.map(({ id }: { id: string }) => id),
      ids,
      'in the order asked',
    );
    for (const spec of body.operators) {
      const told = roles.flatMap((role) => spec[role].map((input: Input) => `${role} ${input.symbol}`));
      const held = registry()
        .rows.get(spec.id)!
        .inputs.map(({ role, symbol }) => `${role} ${symbol}`);
      t.same(told.sort(), held.sort(), spec.id);
    }
  });

  t.test('what stands in for an input that is left out is said with its reason (HON-02)', async (t) => {
    const rows = [...registry().rows.values()];
    const row = rows.find(({ inputs }) => inputs.some(({ value }) => value !== undefined))!;
    const { body } = await ask(row.id);
    const { assumed, optional } = body.operators[0];
    for (const input of [...assumed, ...optional]) t.type(input.value, 'number', `${row.id} ${input.symbol}`);
  });

  t.test('a relation says what it is, and that no number comes of it', async (t) => {
    const { body } = await ask('SP10');
    t.type(body.operators[0].refuses, 'string');
  });

  t.test('an unknown id is refused with the nearest; what is no list of ids is 400', async (t) => {
    t.match(await ask(['SP7', 'SP77']), {
      status: 400,
      body: { error: { code: 'UNKNOWN_OPERATOR', nearest: 'SP7' } },
    });
    for (const operators of [undefined, { id: 7 }, [], [{}], '', Array(101).fill('SP7')])
      t.match(await ask(operators), { status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  });
});
