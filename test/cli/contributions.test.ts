import t from 'tap';
import { door, mint } from '../contribute/world.ts';
import { testApp } from '../http/test-app.ts';
import { svc } from './svc.ts';

const api = await testApp(t);
api.node.contributions.join({ door });
const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
const here = (...args: string[]) => svc([...args, '--url', url], { env: { SVC_KEY: api.key } });

t.test('a bond is placed and released on the command line (CONTRIB-01, CONTRIB-02)', async (t) => {
  t.match(await here('bond', 'place'), { code: 1, stderr: /CONFLICT: A bond takes 1000 coins .* has 0/ });
  await mint(api.node.store, api.zid, 1000);
  t.match(await here('bond', 'place'), {
    code: 0,
    stdout: /^1000 coins bonded, 30 days remaining; mode idle/,
  });
  t.match(JSON.parse((await here('bond', 'show', '--json')).stdout), { bond: { state: 'bonded' } });
  t.match(await here('bond', 'release'), { code: 0, stdout: /^not bonded; mode idle; 0 coins earned/ });
});

t.test('modes and earnings on the command line (CONTRIB-03)', async (t) => {
  t.match(await here('mode', 'contributing'), { code: 0, stdout: 'contributing: 0 nodes switched\n' });
  t.match(await here('mode', 'selling'), { code: 1, stderr: /mode is idle, contributing, experimenting/ });
  t.match(await here('earnings'), { code: 0, stdout: '0 coins; 0 lines paid, 0 not\n' });
  t.match(await here('earnings', '--limit', '0'), { code: 1, stderr: /INVALID_INPUT/ });
});
