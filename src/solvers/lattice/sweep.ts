import { Refusal } from '../../errors/refusal.ts';
import { type Application, readOne } from '../../operators/apply.ts';
import type { Filled, Program, Value } from '../../operators/bytecode.ts';
import { halfTurnsOf, kernelPrograms } from '../../operators/half-turns.ts';
import type { DoubleDouble } from '../../units/fraction.ts';
import { type PointNames, refusalOfPoints } from '../compose/failed-points.ts';
import { Layout } from '../layout.ts';
import { type Axis, givenAt, pointOf } from './axes.ts';

// What the axes of a lattice set in the programs of its operators.

/** An axis sets one value of the block of programs. */
export interface Binding {
  readonly axis: number;
  readonly value: number;
  /** The value along the axis, in the unit of its row. */
  readonly table: readonly DoubleDouble[];
}

export type Names = PointNames & { readonly refined: (refusal: Refusal) => Refusal };

// ---- values along the axes -------------------------------------------------------------------------------

/** Of each axis and operator that knows it: the symbol and its values along the axis. */
export interface Swept {
  readonly axis: number;
  readonly application: number;
  readonly symbol: string;
  readonly table: readonly Value[];
}

export function sweptValues(
  applications: readonly Application[],
  axes: readonly Axis[],
  inputNames: readonly string[],
  names: Names,
): Swept[] {
  return axes.flatMap((axis, k) =>
    applications.flatMap((each, application): Swept[] => {
      const input = each.operator.byName.get(inputNames[k]!);
      if (!input) return [];
      const { turned } = kernelPrograms(each);
      const table = axis.coordinates.map((_, digit) => {
        try {
          const { sent, value } = readOne(input, inputNames[k]!, givenAt(axis, digit));
          const isTurned = typeof sent === 'object' && turned.has(input.symbol);
          return (isTurned && halfTurnsOf(sent)) || value;
        } catch (error) {
          throw failedAt(error, axes, k, digit, names);
        }
      });
      return [{ axis: k, application, symbol: input.symbol, table }];
    }),
  );
}

/** A coordinate that an input does not take: the first of its points, and how many they are. */
function failedAt(error: unknown, axes: readonly Axis[], k: number, digit: number, names: Names): unknown {
  if (!(error instanceof Refusal)) return error;
  const point = pointOf(
    axes,
    axes.map((_, other) => (other === k ? digit : 0)),
  );
  const total = names.count / axes[k]!.coordinates.length;
  return refusalOfPoints([{ point, refusal: names.refined(error) }], names, total);
}

/** A program of the first point, a swept value being the nearest to a decimal where it is so at any point. */
export function sweptProgram(
  { program, values }: Filled,
  application: number,
  sweep: readonly Swept[],
): Filled {
  const isNearest = (symbol: string): boolean =>
    sweep.some(
      (swept) =>
        swept.application === application &&
        swept.symbol === symbol &&
        swept.table.some((each) => each.isNearest),
    );
  return {
    program,
    values: values.map((value, i) =>
      isNearest(program.symbols[i]!) ? { ...value, isNearest: true } : value,
    ),
  };
}

// ---- in a block of programs --------------------------------------------------------------------------------

/** A program of a block, and the operator whose symbols it has. */
type SweptProgram = { readonly program: Program; readonly application: number };

/** Where the swept symbols stand in a block of programs; one that a program does not know stands nowhere in it. */
export function bindingsOf(programs: readonly SweptProgram[], sweep: readonly Swept[]): Binding[] {
  let first = 0;
  return programs.flatMap(({ program: { symbols, literals }, application }): Binding[] => {
    const at = first;
    first += symbols.length + literals.length;
    return sweep.flatMap((swept): Binding[] => {
      const index = swept.application === application ? symbols.indexOf(swept.symbol) : -1;
      return index < 0 ? [] : [{ axis: swept.axis, value: at + index, table: swept.table }];
    });
  });
}

/** For the second evaluation, which is in double. */
export function tablesOf(bindings: readonly Binding[]): Uint8Array {
  const layout = new Layout().f64s(bindings.flatMap(({ axis, value }) => [axis, value]));
  for (const { table } of bindings) layout.f64s(table.map(({ hi }) => hi));
  return layout.bytes();
}
