import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';
import { oscillator } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

interface Register {
  name: string;
  offset: number;
  width: number;
  type: string;
  value: string | number;
}

t.test('what a node says of itself', async (t) => {
  const api = await testApp(t);
  const noKey = { authorization: '' };

  t.test(
    'the clock: an exact period, a whole number of ns, and a caption (CLOCK-04, CLOCK-05)',
    async (t) => {
      for (const path of ['/api/svc/sdk/metadata', '/api/kernel']) {
        const before = BigInt(Date.now()) * 1_000_000n - 1_000_000_000n;
        const { status, text, body } = await api.get(path, noKey);
        t.equal(status, 200, path);
        t.match(text, /"tick_ns":777000777,/, 'an integer');
        t.match(body, { period_s_exact: '0.777000777', period_s: 0.777000777, display_label: '0.777 s' });
        t.match(body, { pulse_hz: 1.287, pulse_hz_exact: '1000000000/777000777' });
        t.equal(body.tick, Number(BigInt(body.t_ns) / 777000777n), 'by integers');
        t.ok(BigInt(body.t_ns) > before);
      }
    },
  );

  t.test(
    'what it offers: versions, solvers, limits and every route of the description (CMP-18)',
    async (t) => {
      const { status, body } = await api.get('/api/svc/harness', noKey);
      t.equal(status, 200);
      t.same(
        body.solvers.map(({ id }: { id: string }) => id),
        solvers.map(({ id }) => id),
      );
      t.match(body, {
        ...{ node: api.node.name, threads: 2, generations: ['v3', 'v1', 'pre_genesis'] },
        limits: { precision_bound: 0.001, operators_beside_KO42: 3, body_bytes: 2 ** 20 },
      });
      const { paths } = (await api.get('/api/openapi.json')).body;
      const described = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
      );
      t.same(body.routes, described);
      t.ok(described.some(({ path }) => path === '/api/svc/operators/{id}'));
    },
  );

  const read = (bytes: Buffer, { offset, width, type }: Register): string | number => {
    if (type === 'f64') return bytes.readDoubleLE(offset);
    if (type === 'text')
      return bytes
        .subarray(offset, offset + width)
        .toString('utf8')
        .replace(/\0+$/, '');
    const low = bytes.readBigUInt64LE(offset);
    return String(type === 'u128' ? (bytes.readBigUInt64LE(offset + 8) << 64n) + low : low);
  };

  t.test('the register page is public, and its bytes are what the manifest says (AUTH-08)', async (t) => {
    await api.post('/api/svc/solve', oscillator);
    const { status, body } = await api.get('/api/svc/mmio', noKey);
    t.equal(status, 200);
    const registers: Register[] = body.registers;
    const bytes = Buffer.from(body.page, 'base64');
    t.equal(bytes.length, body.bytes);
    for (const register of registers) t.equal(read(bytes, register), register.value, register.name);
    const spans = registers.map(({ offset, width }) => [offset, offset + width] as const);
    t.ok(
      spans.every(([start], i) => i === 0 || start >= spans[i - 1]![1]),
      'no two overlap',
    );
    const reading = (name: string) => registers.find((each) => each.name === name)!.value;
    t.equal(reading('log_size'), '1');
    t.equal(reading('tick_ns'), '777000777');
    t.equal(reading('node'), api.node.name);
    t.notOk(registers.some(({ name }) => name === 'account'));
  });

  t.test('the registers of an account take its key (AUTH-08)', async (t) => {
    t.equal((await api.get('/api/svc/mmio/registers', noKey)).status, 401);
    const { body } = await api.get('/api/svc/mmio/registers');
    const { bond, free, paid } = await api.node.accounts.means(api.zid);
    const bytes = Buffer.from(body.page, 'base64');
    const expected = { account: api.zid, bond: String(bond), fuel: String(free + paid) };
    for (const [name, value] of Object.entries(expected)) {
      const register = body.registers.find((each: Register) => each.name === name);
      t.equal(register.value, value, name);
      t.equal(read(bytes, register), value, name);
    }
  });
});
