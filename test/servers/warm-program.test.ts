import t from 'tap';
import { WarmProgram } from './warm-program.ts';

/** Answers each command with how many it has had; dies of `die`. */
const counter = `
  let had = 0;
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    if (JSON.parse(line)[0] === 'die') process.exit(7);
    console.log(JSON.stringify({ code: 0, stdout: String(++had), stderr: '' }));
  });`;
const program = () => new WarmProgram(process.execPath, ['-e', counter]);

t.test('commands run one after another in one program, however many there are', async (t) => {
  const warnings: string[] = [];
  const warned = ({ message }: Error) => warnings.push(message);
  process.on('warning', warned);
  t.teardown(() => process.off('warning', warned));
  const warm = program();
  const ended = await Promise.all(Array.from({ length: 40 }, () => warm.run(['count'])));
  t.strictSame(
    ended.map(({ stdout }) => Number(stdout)),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  await new Promise(setImmediate);
  t.strictSame(warnings, [], 'and leave nothing behind');
});

t.test('a command of which the program dies says so, and the next one has another program', async (t) => {
  const warm = program();
  const [first, second, third] = await Promise.all(
    [['count'], ['die'], ['count']].map((args) => warm.run(args)),
  );
  t.match(first, { code: 0, stdout: '1' });
  t.match(second, { code: -1, stderr: /died: 7/ });
  t.match(third, { code: 0, stdout: '1' });
});
