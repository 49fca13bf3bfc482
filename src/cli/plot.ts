import type { Extent, Plot } from '../solvers/plot.ts';

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
      const x = typeof plot.x === 'string' ? field(plot.x) : plot.x;
      return curves.length > 0 ? lineText(plot.title, x, curves) : undefined;
    }
    case 'points': {
      const [x, y] = [field(plot.x), field(plot.y)];
      return x && y ? pointsText(plot.title, x, y) : undefined;
    }
    case 'map': {
      const map = field(plot.field);
      const [x, y] = [plot.x, plot.y].map((axis) => (typeof axis === 'string' ? field(axis) : axis));
      return map && mapText(plot.title, map, x, y);
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

const withUnit = ({ name, unit }: Pick<PlottedField, 'name' | 'unit'>): string =>
  unit && unit !== '1' ? `${name} (${unit})` : name;

interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Answers of releases before 0.9.0 do not say what the numbers of some curves are counted by. */
function lineText(title: string, x: Axis | undefined, fields: readonly PlottedField[]): string {
  const curves = fields.map(({ values }) => ({ x: placesOf(x, values.length), y: values }));
  const axis = x ? withUnit(x) : 'index';
  const named = fields.map((field, c) => (fields.length > 1 ? `${markOf(c)} ` : '') + withUnit(field));
  return raster(`${title}: ${named.join(', ')} against ${axis}`, curves);
}

function placesOf(x: Axis | undefined, count: number): readonly number[] {
  if (x && 'values' in x) return x.values;
  const [from, to] = x ? [x.from, x.to] : [0, count - 1];
  return Array.from({ length: count }, (_, i) => from + (i * (to - from)) / Math.max(1, count - 1));
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
  return framed(title, rows, labels, [left, right]);
}

const DIGITS = 4;
const MOST_DIGITS = 9;

/** Writes whole numbers as they are, others with as many digits as tell the different ones of these apart. */
function shownApart(numbers: readonly (number | undefined)[]): (value: number | undefined) => string {
  const known = new Set(numbers.filter((value) => value !== undefined));
  const areCounts = [...known].every((value) => Number.isInteger(value) && Math.abs(value) < 10 ** DIGITS);
  if (areCounts) return (value) => (value === undefined ? '' : String(value));
  let digits = DIGITS;
  while (
    digits < MOST_DIGITS &&
    new Set([...known].map((value) => value.toPrecision(digits))).size < known.size
  )
    digits++;
  return (value) => (value === undefined ? '' : value.toPrecision(digits));
}

/** Rows of characters between their axes: what is known of a label at each row, and of both ends below. */
function framed(
  title: string,
  rows: readonly string[][],
  labels: readonly (number | undefined)[],
  [left, right]: readonly (number | undefined)[],
): string {
  const shown = shownApart([left, right]);
  const shownAside = shownApart(labels);
  const lines = rows.map((row, r) => `${shownAside(labels[r]).padStart(LABEL)} |${row.join('').trimEnd()}`);
  const width = Math.max(...rows.map(({ length }) => length));
  const ends = [shown(left).padEnd(width - 12) + shown(right).padStart(12)].filter(
    (text) => text.trim() !== '',
  );
  return [
    title,
    ...lines,
    `${' '.repeat(LABEL)} +${'-'.repeat(width)}`,
    ...ends.map((text) => `${' '.repeat(LABEL + 2)}${text}`),
  ].join('\n');
}

// ---- maps ----------------------------------------------------------------------------------------------

type Axis = Extent | PlottedField;

/** Answers of releases before 0.9.0 do not say where the numbers of a map stand. */
function mapText(title: string, map: PlottedField, x?: Axis, y?: Axis): string | undefined {
  const [least, most] = range(map.values);
  const shade = (value: number) =>
    SHADES[isFlat(least, most) ? 0 : Math.round(((value - least) / (most - least)) * (SHADES.length - 1))]!;
  const over = x && y ? ` over ${withUnit(x)} and ${withUnit(y)}` : '';
  const shown = shownApart([least, most]);
  const heading = `${title}: ${withUnit(map)} ${shown(least)} (blank) … ${shown(most)} (@)${over}`;
  const rows = map.shape.length === 2 ? straightRows(map, x, y, shade) : curvedRows(map, x, y, shade);
  if (!rows) return undefined;
  const [[left, right], [bottom, top]] = [x, y].map((axis) => endsOf(axis, map.shape.length === 2)) as [
    Ends,
    Ends,
  ];
  const labels = rows.map((_, r) => (r === 0 ? top : r === rows.length - 1 ? bottom : undefined));
  return framed(heading, rows, labels, [left, right]);
}

type Ends = readonly [number | undefined, number | undefined];

function endsOf(axis: Axis | undefined, even: boolean): Ends {
  if (axis === undefined) return [undefined, undefined];
  if (!('values' in axis)) return [axis.from, axis.to];
  return even ? [axis.values[0], axis.values.at(-1)] : range(axis.values);
}

/** Numbers of a grid whose lines are straight, its first row at the bottom. */
function straightRows(
  { shape, values }: PlottedField,
  x: Axis | undefined,
  y: Axis | undefined,
  shade: (value: number) => string,
): string[][] {
  const [rows, columns] = shape as [number, number];
  const across = nearestLines(x, columns, Math.min(columns, WIDTH));
  const upwards = nearestLines(y, rows, Math.min(rows, HEIGHT));
  return upwards.reverse().map((row) => across.map((column) => shade(values[row * columns + column]!)));
}

/** Of so many lines those next to `count` even places. */
function nearestLines(axis: Axis | undefined, lines: number, count: number): number[] {
  const places = placesOf(axis, lines);
  const [from, to] = [places[0]!, places.at(-1)!];
  let line = 0;
  return Array.from({ length: count }, (_, i) => {
    const at = from + (i * (to - from)) / Math.max(1, count - 1);
    while (line < lines - 1 && Math.abs(places[line + 1]! - at) <= Math.abs(places[line]! - at)) line++;
    return line;
  });
}

/** Patches, each a curved grid whose every number has its place: the cells between four of them are filled. */
function curvedRows(
  { shape, values }: PlottedField,
  x: Axis | undefined,
  y: Axis | undefined,
  shade: (value: number) => string,
): string[][] | undefined {
  const [patches, rows, columns] = shape;
  if (!x || !y || !('values' in x && 'values' in y) || !columns || !rows || !patches) return undefined;
  const picture = Array.from({ length: HEIGHT }, () => new Array<string>(WIDTH).fill(' '));
  const scaled = ({ values }: PlottedField, most: number) => {
    const [from, to] = range(values);
    return values.map((value) => ((value - from) / (to - from || 1)) * most);
  };
  const places = { x: scaled(x, WIDTH - 1), y: scaled(y, HEIGHT - 1) };
  for (let corner = 0; corner < patches * rows * columns; corner++) {
    if ((corner + 1) % columns === 0 || Math.floor(corner / columns) % rows === rows - 1) continue;
    const corners = [corner, corner + 1, corner + columns, corner + columns + 1] as const;
    const span = (at: readonly number[]) =>
      Math.max(...corners.flatMap((a) => corners.map((b) => at[a]! - at[b]!)));
    const parts = 1 + Math.ceil(2 * Math.max(span(places.x), span(places.y)));
    for (let part = 0; part < parts * parts; part++) {
      const [a, b] = [
        (part % parts) / Math.max(1, parts - 1),
        Math.floor(part / parts) / Math.max(1, parts - 1),
      ];
      const between = (at: readonly number[]) =>
        (1 - b) * ((1 - a) * at[corners[0]]! + a * at[corners[1]]!) +
        b * ((1 - a) * at[corners[2]]! + a * at[corners[3]]!);
      picture[HEIGHT - 1 - Math.round(between(places.y))]![Math.round(between(places.x))] = shade(
        between(values),
      );
    }
  }
  return picture;
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
