import type { Plot } from '../solvers/plot.ts';

export interface PlottedField {
  readonly name: string;
  readonly unit: string | null;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

const WIDTH = 64;
const HEIGHT = 16;
const LABEL = 11;
const SHADES = ' .:-=+*#%@';
const MARKS = 'o+x*#@%&';

/** A plot of an answer in characters; undefined when its fields are not at hand. */
export function plotText(plot: Plot, fields: readonly PlottedField[]): string | undefined {
  const field = (name: string) => namedField(fields, name);
  switch (plot.kind) {
    case 'line': {
      const curves = plot.y.map(field).filter((curve): curve is PlottedField => curve !== undefined);
      return curves.length > 0 ? lineText(plot.title, field(plot.x), curves) : undefined;
    }
    case 'points': {
      const [x, y] = [field(plot.x), field(plot.y)];
      return x && y ? pointsText(plot.title, x, y) : undefined;
    }
    case 'map': {
      const map = field(plot.field);
      return map && map.shape.length === 2 ? mapText(plot.title, map) : undefined;
    }
  }
}

function namedField(fields: readonly PlottedField[], name: string): PlottedField | undefined {
  const whole = fields.find((candidate) => candidate.name === name);
  const [, rows, column] = /^(.+)\[(\d+)\]$/.exec(name) ?? [];
  if (whole || rows === undefined) return whole;
  const field = fields.find((candidate) => candidate.name === rows);
  const width = field?.shape[1];
  if (!field || width === undefined || Number(column) >= width) return undefined;
  const values = field.values.filter((_, i) => i % width === Number(column));
  return { ...field, name, shape: [values.length], values };
}

const withUnit = ({ name, unit }: PlottedField): string =>
  unit && unit !== '1' ? `${name} (${unit})` : name;

interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

function lineText(title: string, x: PlottedField | undefined, fields: readonly PlottedField[]): string {
  const curves = fields.map(({ values }) => ({ x: x?.values ?? values.map((_, i) => i), y: values }));
  const axis = x ? withUnit(x) : 'index';
  const named = fields.map((field, c) => (fields.length > 1 ? `${markOf(c)} ` : '') + withUnit(field));
  return raster(`${title}: ${named.join(', ')} against ${axis}`, curves);
}

/** Rows of the second axis are curves of their own, each with a mark of its own. */
function pointsText(title: string, x: PlottedField, y: PlottedField): string {
  const count = x.shape.length === 2 ? x.shape[1]! : 1;
  const curves = Array.from({ length: count }, (_, c) => ({
    x: x.values.filter((_, i) => i % count === c),
    y: y.values.filter((_, i) => i % count === c),
  }));
  return raster(`${title}: ${withUnit(y)} against ${withUnit(x)}`, curves);
}

const markOf = (curve: number): string => MARKS[curve % MARKS.length]!;

function raster(title: string, curves: readonly Curve[]): string {
  const [left, right] = range(curves.flatMap(({ x }) => x));
  const [bottom, top] = range(curves.flatMap(({ y }) => y));
  const middle = isFlat(bottom, top) ? HEIGHT / 2 : undefined;
  const rows = Array.from({ length: HEIGHT }, () => new Array<string>(WIDTH).fill(' '));
  for (const [c, { x, y }] of curves.entries()) {
    x.forEach((value, i) => {
      const column = Math.round(((value - left) / (right - left || 1)) * (WIDTH - 1));
      const row = middle ?? HEIGHT - 1 - Math.round(((y[i]! - bottom) / (top - bottom)) * (HEIGHT - 1));
      rows[row]![column] = markOf(c);
    });
  }
  const labels = rows.map((_, r) => {
    if (middle !== undefined) return r === middle ? top : undefined;
    return r === 0 ? top : r === HEIGHT - 1 ? bottom : undefined;
  });
  const label = (value: number | undefined) =>
    (value === undefined ? '' : value.toPrecision(4)).padStart(LABEL);
  const lines = rows.map((row, r) => `${label(labels[r])} |${row.join('').trimEnd()}`);
  const ends = left.toPrecision(4).padEnd(WIDTH - 12) + right.toPrecision(4).padStart(12);
  return [
    title,
    ...lines,
    `${' '.repeat(LABEL)} +${'-'.repeat(WIDTH)}`,
    `${' '.repeat(LABEL + 2)}${ends}`,
  ].join('\n');
}

function mapText(title: string, map: PlottedField): string {
  const [rows, columns] = map.shape as [number, number];
  const [least, most] = range(map.values);
  const height = Math.min(rows, HEIGHT);
  const width = Math.min(columns, WIDTH);
  const lines = Array.from({ length: height }, (_, r) => {
    const row = rows - 1 - Math.round((r * (rows - 1)) / Math.max(1, height - 1)); // bottom row last
    return Array.from({ length: width }, (_, c) => {
      const column = Math.round((c * (columns - 1)) / Math.max(1, width - 1));
      const level = isFlat(least, most) ? 0 : (map.values[row * columns + column]! - least) / (most - least);
      return SHADES[Math.round(level * (SHADES.length - 1))];
    }).join('');
  });
  return [
    `${title}: ${withUnit(map)} ${least.toPrecision(4)} (blank) … ${most.toPrecision(4)} (@)`,
    ...lines,
  ].join('\n');
}

/** What rounding makes of one number is no curve. */
const isFlat = (least: number, most: number): boolean =>
  most - least <= 1e-9 * Math.max(Math.abs(least), Math.abs(most));

function range(values: readonly number[]): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}
