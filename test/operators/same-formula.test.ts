import fc from 'fast-check';
import t from 'tap';
import { canonicalText } from '../../src/operators/canonical.ts';
import { readEquation } from '../../src/operators/equation.ts';
import { parse } from '../../src/operators/parse.ts';
import { plainText } from '../../src/operators/plain-text.ts';
import { lettersOf, renaming } from '../../src/operators/same-formula.ts';

const lettered = (text: string) => {
  const expression = parse(text);
  return { expression, letters: lettersOf(expression) };
};
const found = (a: string, b: string) => {
  const map = renaming(lettered(a), lettered(b));
  return map && Object.fromEntries(map);
};

t.test('a formula is found under other letters, however it is written', async (t) => {
  const cases: [string, string, Record<string, string>][] = [
    ['m*c^2', 'E_0^2*x', { m: 'x', c: 'E_0' }],
    ['m*v^2/2', '0.5*a*b*b', { m: 'a', v: 'b' }],
    ['sqrt(2*g*h)', '(h*2*x)^(1/2)', { g: 'h', h: 'x' }],
    ['A*exp(-t/tau)*cos(w*t)', 'cos(t*u)*exp(-u/A)*B', { A: 'B', t: 'u', tau: 'A', w: 't' }],
    ['pi*r^2', 'x^2*pi', { r: 'x' }],
    ['a - b', 'x - y', { a: 'x', b: 'y' }],
  ];
  for (const [a, b, expected] of cases) t.same(found(a, b), expected, `${a} is ${b}`);
});

t.test('another formula is not', async (t) => {
  const twins: [string, string][] = [
    ['m*v^2/2', 'm*v^2'],
    ['a/b', 'a*b'],
    ['a*b', 'a*b*c'],
    ['a^2*b', 'a^2*b^2'],
    ['a/(b + c)', 'a/(b - c)'],
    ['sin(a)*b', 'cos(a)*b'],
    ['a*b + c', 'a*b + a'],
  ];
  for (const [a, b] of twins) t.equal(found(a, b), undefined, `${a} is not ${b}`);
});

t.test('a rule for letters is kept', async (t) => {
  const [a, b] = [lettered('x/y'), lettered('u/v')];
  t.same(Object.fromEntries(renaming(a, b, (own, theirs) => own !== 'x' || theirs === 'u')!), {
    x: 'u',
    y: 'v',
  });
  t.equal(
    renaming(a, b, (own, theirs) => own !== 'x' || theirs === 'v'),
    undefined,
  );
});

t.test('many like letters do not hold it up', async (t) => {
  const sum = (letter: string) => Array.from({ length: 40 }, (_, i) => `${letter}${i}`).join(' + ');
  t.ok(found(sum('a'), sum('b')));
  t.equal(found(sum('a'), `${sum('b').replace('b0', '2*b0')}`), undefined);
});

t.test('numbers raised again and again stay small enough to compare', async (t) => {
  const tower = `${'('.repeat(30)}9${'^16)'.repeat(30)}`;
  t.ok(canonicalText(parse(tower)).length < 10_000);
});

const number = fc.constantFrom('2', '0.5', '1e-3');
const letter = fc.constantFrom('a', 'b', 'x_1', 'pi');
const { formula } = fc.letrec<{ formula: string }>((tie) => ({
  formula: fc.oneof(
    { depthSize: 'small' },
    number,
    letter,
    fc
      .tuple(tie('formula'), fc.constantFrom('+', '-', '*', '/', '^'), tie('formula'))
      .map(([l, o, r]) => `(${l})${o}(${r})`),
    tie('formula').map((of) => `-(${of})`),
    tie('formula').map((of) => `exp(${of})`),
  ),
}));

t.test('the plain text of a tree reads back as the same tree', async (t) => {
  fc.assert(
    fc.property(formula, (text) => {
      const tree = parse(text);
      return JSON.stringify(parse(plainText(tree))) === JSON.stringify(tree);
    }),
    { numRuns: 2000 },
  );
  t.equal(plainText(readEquation('E = \\frac{hc}{\\lambda} - mc^{2}').expression), 'h*c/lambda - m*c^2');
});
