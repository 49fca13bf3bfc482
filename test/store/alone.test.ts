import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { aloneWith } from '../../src/store/embedded/alone.ts';

const module = new URL('../../src/store/embedded/alone.js', import.meta.url);
const why = (holder: string) => `${holder} has it: end it.`;

t.test('one process at a time has it, the refusal names it, and a killed one lets go at once', async (t) => {
  const file = join(t.testdir(), 'own', 'contributor.lock');
  const text = `import { aloneWith } from ${JSON.stringify(module)};
    aloneWith(${JSON.stringify(file)}, String); console.log('alone'); setInterval(() => undefined, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  const refused = { code: 'CONFLICT', message: `Process ${other.pid} has it: end it.` };
  t.throws(() => aloneWith(file, why, 0), refused);
  other.kill('SIGKILL');
  await once(other, 'exit');
  const own = aloneWith(file, why, 0);
  t.throws(() => aloneWith(file, why, 0), { code: 'CONFLICT' }, 'nor twice within a process');
  own.close();
  aloneWith(file, why, 0).close();
});
