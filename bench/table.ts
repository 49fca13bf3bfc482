import type { Row } from './figure.ts';

const heads = ['figure', 'measured', 'against', 'peer', 'ratio', 'goal', 'met'];

/** Three significant digits, and never in powers of ten within what people read at a glance. */
function number(value: number | undefined): string {
  if (value === undefined) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(2);
  return size >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

const yesOrNo = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'yes' : 'NO');

function cells({ figure, value, unit, against, peer, ratio, goal, met }: Row): string[] {
  const ours = value === undefined ? '–' : `${number(value)} ${unit}`;
  const ratioText = ratio === undefined ? '' : number(ratio);
  return [figure, ours, against ?? '', against ? number(peer) : '', ratioText, goal ?? '', yesOrNo(met)];
}

/** The rows as one aligned table; what could not be measured says why below its row. */
export function table(rows: readonly Row[]): string {
  const body = rows.map(cells);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...body.map((row) => row[column]!.length)),
  );
  const isNumber = (column: number) => [1, 3, 4].includes(column);
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const lines = rows.flatMap((row, index) => [line(body[index]!), ...(row.note ? [`    ${row.note}`] : [])]);
  return [line(heads), rule, ...lines].join('\n');
}
