import t from 'tap';
import { answerText } from '../../src/cli/show-answer.ts';
import { exampleAnswer } from '../proof/example-job.ts';

const nothing = () => undefined;

t.test('what nobody gave is said, with its reason', async (t) => {
  const assumed = [
    { name: 'g', value: 9.80665, unit: 'm/s^2', because: 'standard gravity' },
    { name: 'N', value: [64, 32], because: 'numerical choice' },
  ];
  const text = answerText(exampleAnswer({ assumed }).answer, nothing);
  t.match(text, /assumed g = 9\.80665 m\/s\^2: standard gravity/);
  t.match(text, /assumed N = \[64,32\]: numerical choice/);
});

t.test('a number that no gate holds is marked, and no other', async (t) => {
  const outputs = { upTo: 55, sum: 1540 };
  const { answer } = exampleAnswer({ outputs, isUnsealed: (path) => path === 'upTo' });
  const text = answerText(answer, nothing);
  t.match(text, /upTo: 55.*no gate holds it/);
  t.notMatch(text, /sum: 1540.*no gate/);
});
