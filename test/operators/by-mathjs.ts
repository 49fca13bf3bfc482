import { type Application, applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { operator, rowOf } from '../../src/operators/registry.ts';
import { mathjsInstance, mathjsText } from './notations.ts';

const math = mathjsInstance();
const unchanged = (text: string) => text;
const compiled = new Map<string, (application: Application) => number>();

/** A row by mathjs, which parses the row's text itself and works in doubles; `change` makes another formula of it. */
export function byMathjs(id: string, inputs: GivenInputs, change = unchanged): number {
  const [application] = applyInputs([operator(id)], inputs);
  const key = change === unchanged ? id : `${id} ${change}`;
  const evaluate = compiled.get(key) ?? compile(id, application!, change);
  compiled.set(key, evaluate);
  return evaluate(application!);
}

function compile(id: string, { program }: Application, change: (text: string) => string) {
  const code = math.compile(change(mathjsText(rowOf(id).expression!, program.symbols)));
  return ({ values }: Application): number =>
    code.evaluate(Object.fromEntries(values.map(({ hi }, i) => [`v${i}`, hi])));
}

/** Relative to b, absolute where b is 0; infinite where it is no real number. */
export function apart(a: number, b: number): number {
  const isNumber = typeof b === 'number' && Number.isFinite(b);
  return isNumber ? Math.abs(a - b) / (Math.abs(b) || 1) : Number.POSITIVE_INFINITY;
}
