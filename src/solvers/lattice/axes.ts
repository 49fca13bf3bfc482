import { printable, printableWord } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { convert } from '../../units/conversion.ts';
import { linear, logarithmic } from './coordinates.ts';
import { type AxisFields, type LatticeInput, MAX_POINTS, type SentNumber } from './schema.ts';

/** An axis with its coordinates in the unit that it names, or in that of the input. */
export interface Axis {
  readonly name: string;
  readonly unit: string | undefined;
  readonly coordinates: readonly number[];
  /** The axis as the canonical request has it. */
  readonly fields: AxisFields;
}

/** @throws Refusal for an axis that is no list and no range, coordinates twice, too many points */
export function readAxes({ axes }: LatticeInput): Axis[] {
  refuseTooMany(axes);
  const read = axes.map(readAxis);
  const names = read.map(({ name }) => name);
  const twice = names.findIndex((name, k) => names.indexOf(name) !== k);
  if (twice >= 0)
    invalid(`axes[${twice}].name`, `${printable(names[twice])} is an axis already`, 'another input');
  return read;
}

/** Before anything is laid out: the counts are the caller's. */
function refuseTooMany(axes: readonly AxisFields[]): void {
  const points = axes.reduce((product, axis) => product * lengthOf(axis), 1);
  if (points > MAX_POINTS)
    refuse('LIMIT_EXCEEDED', `axes: ${points} points are more than ${MAX_POINTS}.`, {
      field: 'axes',
      measured: points,
      bound: MAX_POINTS,
      accepts: `at most ${MAX_POINTS} points`,
    });
}

const lengthOf = ({ values, count = 1 }: AxisFields): number =>
  values === undefined ? count : 'unit' in values ? values.value.length : values.length;

function readAxis(axis: AxisFields, k: number): Axis {
  const field = `axes[${k}]`;
  const isRange = axis.start !== undefined || axis.stop !== undefined || axis.count !== undefined;
  if (axis.values !== undefined && (isRange || axis.scale !== undefined))
    invalid(field, 'has values and a range', 'values, or start, stop and count');
  const read = axis.values !== undefined ? listed(axis, field) : ranged(axis, field);
  const twice = firstTwice(read.coordinates);
  if (twice !== undefined) invalid(field, `has ${twice} twice`, 'coordinates that differ');
  return read;
}

function firstTwice(coordinates: readonly number[]): number | undefined {
  const seen = new Set<number>();
  return coordinates.find((x) => seen.size === seen.add(x).size);
}

function listed({ name, unit: named, values }: AxisFields, field: string): Axis {
  const sent = 'unit' in values! ? values.value.map((value) => ({ value, unit: values.unit })) : values!;
  const { unit, coordinates } = inOneUnit(sent, named, `${field}.values`);
  const fields = { name, values: coordinates, ...(unit !== undefined && { unit }) };
  return { name, unit, coordinates, fields };
}

function ranged({ name, unit, start, stop, count, scale }: AxisFields, field: string): Axis {
  for (const [key, value] of Object.entries({ start, stop, count }))
    if (value === undefined)
      refuse('MISSING_INPUT', `${field}.${key} is missing: an axis has values, or start, stop and count.`, {
        field: `${field}.${key}`,
        accepts: 'values, or start, stop and count',
      });
  const ends = inOneUnit([start!, stop!], unit, `${field}.start`);
  const [from, to] = ends.coordinates as [number, number];
  if (scale === 'log' && !(from * to > 0 || (from !== 0 && to !== 0 && from > 0 === to > 0)))
    invalid(`${field}.scale`, `log from ${from} to ${to} has no ratio`, 'start and stop of one sign, not 0');
  if (scale !== 'log' && !Number.isFinite(to - from))
    invalid(`${field}.stop`, `${to} is too far from ${from}`, 'a finite distance');
  const coordinates = scale === 'log' ? logarithmic(from, to, count!) : linear(from, to, count!);
  const fields = {
    name,
    ...{ start: from, stop: to, count: count! },
    ...(scale === 'log' && { scale }),
    ...(ends.unit !== undefined && { unit: ends.unit }),
  };
  return { name, unit: ends.unit, coordinates, fields };
}

/** Numbers in the unit of the axis: the one it names, else that of the first number that names one, else none. */
function inOneUnit(
  sent: readonly SentNumber[],
  named: string | undefined,
  field: string,
): { unit: string | undefined; coordinates: number[] } {
  const first = sent.find((each) => typeof each === 'object') as { unit: string } | undefined;
  const unit = named ?? first?.unit;
  if (named === undefined && first !== undefined && sent.some((each) => typeof each === 'number'))
    invalid(field, 'has numbers with and without a unit', 'the same for all of them');
  const coordinates = sent.map((each) => {
    if (typeof each === 'number' || each.unit === unit) return typeof each === 'number' ? each : each.value;
    return converted(each, unit!, field);
  });
  return { unit, coordinates };
}

function converted({ value, unit }: { value: number; unit: string }, to: string, field: string): number {
  try {
    return convert(value, unit, to) + 0;
  } catch {
    return invalid(
      field,
      `${printable(unit)} does not convert to ${printable(to)}`,
      'units of one dimension',
    );
  }
}

export function invalid(field: string, what: string, accepts: string): never {
  return refuse('INVALID_INPUT', `${field}: ${what}; accepted: ${accepts}.`, { field, accepts });
}

// ---- points --------------------------------------------------------------------------------------------

export const pointCount = (axes: readonly Axis[]): number =>
  axes.reduce((product, { coordinates }) => product * coordinates.length, 1);

/** The coordinate's number on each axis; the last axis runs fastest. */
export function digitsOf(axes: readonly Axis[], point: number): number[] {
  const digits = new Array<number>(axes.length);
  let rest = point;
  for (let k = axes.length - 1; k >= 0; k--) {
    const { length } = axes[k]!.coordinates;
    digits[k] = rest % length;
    rest = Math.floor(rest / length);
  }
  return digits;
}

/** The point with these numbers on the axes. */
export const pointOf = (axes: readonly Axis[], digits: readonly number[]): number =>
  axes.reduce((point, { coordinates }, k) => point * coordinates.length + digits[k]!, 0);

/** What the target is given for a coordinate. */
export const givenAt = (
  { unit, coordinates }: Axis,
  digit: number,
): number | { value: number; unit: string } =>
  unit === undefined ? coordinates[digit]! : { value: coordinates[digit]!, unit };

/** `{m: 1, v: 1.5}` in the units of the axes. */
export function coordinatesOf(axes: readonly Axis[], point: number): Record<string, number> {
  const digits = digitsOf(axes, point);
  return Object.fromEntries(axes.map(({ name, coordinates }, k) => [name, coordinates[digits[k]!]!]));
}

/** `m = 1, v = 1.5 km/h`. */
export function wordsOf(axes: readonly Axis[], point: number): string {
  const digits = digitsOf(axes, point);
  return axes
    .map(({ name, unit, coordinates }, k) => {
      const of = unit === undefined ? '' : ` ${printableWord(unit)}`;
      return `${printableWord(name)} = ${coordinates[digits[k]!]}${of}`;
    })
    .join(', ');
}
