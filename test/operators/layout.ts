import type { OperatorFile } from '../../src/operators/row.ts';

/** A data file as it is laid out: one line for each input, fixed number and condition, so that a row reads at a glance. */
export function layout({ category, title, operators }: OperatorFile): string {
  const rows = operators.map(
    (row) => `    {\n${rowLines(row as unknown as Record<string, unknown>).join(',\n')}\n    }`,
  );
  return `{\n  "category": ${JSON.stringify(category)},\n  "title": ${JSON.stringify(title)},\n  "operators": [\n${rows.join(',\n')}\n  ]\n}\n`;
}

const listed = new Set(['inputs', 'fixed', 'conditions', 'examples']);

function rowLines(row: Record<string, unknown>): string[] {
  return Object.entries(row).map(([key, value]) => {
    const isList = listed.has(key) && Array.isArray(value) && value.length > 0;
    if (!isList) return `      ${JSON.stringify(key)}: ${spaced(value)}`;
    const items = (value as unknown[]).map((item) => `        ${spaced(item)}`);
    return `      ${JSON.stringify(key)}: [\n${items.join(',\n')}\n      ]`;
  });
}

/** JSON on one line, with a space behind each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
