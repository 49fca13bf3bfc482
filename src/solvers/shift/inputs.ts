import { nearest } from '../../errors/nearest.ts';
import { printable, printableWord } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { coherentUnit } from '../../operators/turns.ts';
import { convert, convertDifference } from '../../units/conversion.ts';
import { UnitError } from '../../units/unit.ts';
import { type Path, valueAt, withValue } from '../compose/path.ts';
import { inputPath, type Point, type Target } from '../compose/target.ts';
import { nodesAt, usualUnits } from '../compose/units.ts';
import { type ComputeInput, computation, compute } from '../compute.ts';
import { type Node, nodeOf } from '../input/schema.ts';

/** δ as it was sent. */
export type SentShift = number | { readonly value: number; readonly unit: string };

/** One input before and after, in `unit`: that of an operator's row, whichever the input came in. */
export interface Shifted {
  readonly name: string;
  readonly path: Path;
  readonly from: number;
  readonly delta: number;
  readonly to: number;
  readonly unit: string | null;
  /** What stands in the shifted request, in the unit of the input as it came, so that both sides are as exact. */
  readonly moved: number;
  /** δ in the canonical request. */
  readonly canonical: SentShift;
}

/** What stands at the input, and the unit that a plain δ has there. */
interface Place {
  readonly path: Path;
  readonly value: unknown;
  readonly unit: string | undefined;
  /** Of an input of any unit: the one that it came in. */
  readonly sentUnit?: string | undefined;
}

const fieldOf = (name: string): string => `shift.${printableWord(name)}`;

/** Reads one shift against the base. @throws Refusal for a δ of 0, an input that is not there or is no number */
export function readShift(target: Target, base: Point, name: string, sent: SentShift): Shifted {
  const field = fieldOf(name);
  const place =
    target.solver.id === compute.id ? placeInForm(target, base, name) : placeInBody(target, base, name, sent);
  const { path, value, unit, sentUnit = unit } = place;
  const x = typeof value === 'number' ? value : (value as { value?: unknown } | undefined)?.value;
  if (typeof x !== 'number')
    refuse(
      'INVALID_INPUT',
      `${field}: inputs gives no number there${value === undefined ? '' : `, but ${printable(value)}`}.`,
      {
        field,
        accepts: 'an input that inputs gives as a number',
      },
    );
  const own = (value as { unit?: string }).unit ?? unit;
  const withUnit =
    typeof sent === 'number' && sentUnit !== undefined ? { value: sent, unit: sentUnit } : sent;
  const delta = inUnit(withUnit, unit, field);
  if (delta === 0) refuse('INVALID_INPUT', `${field} is 0.`, { field, accepts: 'a number other than 0' });
  const isOwn = own === unit;
  const moved = x + (isOwn ? delta : inUnit(withUnit, own, field));
  const from = isOwn ? x : convert(x, own!, unit!);
  const to = isOwn ? moved : from + delta;
  if (moved === x || to === from || !Number.isFinite(moved) || !Number.isFinite(to))
    refuse('INVALID_INPUT', `${field}: ${from} shifted by ${delta} is ${to}.`, {
      field,
      accepts: 'a shift that makes another number',
    });
  const canonical = isOwn && unit !== undefined ? { value: delta, unit } : withUnit;
  return { name, path, from, delta, to, unit: unit ?? null, moved, canonical };
}

/** The base request with the shifted inputs in it. */
export function shiftedBody(base: Point, shifts: readonly Shifted[]): Record<string, unknown> {
  return shifts.reduce((body, { path, moved }) => {
    const value = valueAt(body, path);
    return withValue(body, path, typeof value === 'object' ? { ...value, value: moved } : moved);
  }, base.request);
}

function inUnit(sent: SentShift, unit: string | undefined, field: string): number {
  if (typeof sent === 'number') return sent;
  let accepts =
    unit === undefined ? 'a plain number, as the input is one' : `a unit that converts to ${unit}`;
  try {
    if (unit !== undefined) return convertDifference(sent.value, sent.unit, unit);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    accepts = error.accepted(accepts);
  }
  return refuseUnit(field, sent.unit, accepts);
}

function refuseUnit(field: string, unit: string, accepts: string): never {
  return refuse('INVALID_INPUT', `${field}.unit is ${printable(unit)}; accepted: ${accepts}.`, {
    field: `${field}.unit`,
    accepts,
  });
}

// ---- operators and equations -----------------------------------------------------------------------------

function placeInForm(target: Target, base: Point, name: string): Place {
  const inputName = String(inputPath(target, name, fieldOf(name)).at(-1));
  const { applications } = computation(base.input as ComputeInput);
  const inputs = applications.flatMap(({ operator }) => operator.byName.get(inputName) ?? []);
  const symbols = [...new Set(inputs.map(({ symbol }) => symbol))];
  const names = applications.flatMap(({ operator }) => [...operator.byName.keys()]);
  if (symbols.length === 0) unknown(name, inputName, names);
  if (symbols.length > 1)
    refuse('INVALID_INPUT', `${fieldOf(name)} means ${symbols.join(' and ')}.`, {
      field: fieldOf(name),
      accepts: symbols,
    });
  const path = ['inputs', symbols[0]!];
  const value = valueAt(base.request, path);
  if (inputs[0]!.dimension) return { path, value, unit: inputs[0]!.unit };
  return {
    path,
    value,
    unit: unitInSi(symbols[0]!, value),
    sentUnit: (value as { unit?: string } | undefined)?.unit,
  };
}

/** The SI unit of an input of any unit; undefined where none came with it. */
function unitInSi(symbol: string, value: unknown): string | undefined {
  const unit = (value as { unit?: string } | undefined)?.unit;
  return unit === undefined ? undefined : coherentUnit(symbol, unit);
}

function unknown(name: string, shown: string, names: readonly string[]): never {
  const near = nearest(shown, names);
  refuse('INVALID_INPUT', `${fieldOf(name)} is no input here${near ? `, the nearest is ${near}` : ''}.`, {
    field: fieldOf(name),
    accepts: names,
  });
}

// ---- solvers ---------------------------------------------------------------------------------------------

function placeInBody(target: Target, base: Point, name: string, delta: SentShift): Place {
  const path = inputPath(target, name, fieldOf(name));
  const nodes = nodesAt(nodeOf(target.solver.input), path);
  if (nodes.length === 0) unknown(name, name, namesIn(nodeOf(target.solver.input)));
  const value = valueAt(base.request, path);
  const sent = unitWith(value) ?? unitWith(valueAt(target.body, path));
  return {
    path,
    value,
    unit: unitWith(value) ?? meantUnit(usualUnits(nodes, base.request), sent, delta, fieldOf(name)),
  };
}

const unitWith = (value: unknown): string | undefined => (value as { unit?: string } | undefined)?.unit;

/** Of a coordinate that is a length or an angle: the one that came with it, or with δ. */
function meantUnit(
  units: readonly string[],
  sent: string | undefined,
  delta: SentShift,
  field: string,
): string | undefined {
  const named = sent ?? unitWith(delta);
  if (units.length < 2 || named === undefined) return units.length < 2 ? units[0] : undefined;
  const meant = units.find((unit) => convertsTo(named, unit));
  return meant ?? refuseUnit(field, named, `a unit that converts to ${units.join(' or ')}`);
}

function convertsTo(from: string, to: string): boolean {
  try {
    convertDifference(1, from, to);
    return true;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    return false;
  }
}

/** Names of numbers, for who misspelled one. */
function namesIn(node: Node, prefix = ''): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) =>
    inner.properties ? namesIn(inner, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}
