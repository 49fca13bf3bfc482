/** Pieces of Markdown. */

export const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

/** In code everything stands for itself, but for what would end the cell. */
const escaped = (text) =>
  text.replace(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found)).replaceAll('|', '\\|');
const cell = (text) => escaped(String(text).replaceAll('\n', ' '));

export function table(heads, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const WIDE = 96;
/** Of more short entries than this several stand on a line. */
const MANY = 12;

/** JSON whose lists of numbers and words stand on one line each. */
export function compactJson(value, indent = '') {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const oneLine = JSON.stringify(value).replaceAll(',', ', ').replaceAll(':', ': ');
  if (oneLine.length + indent.length <= WIDE && !/[[{].*[[{].*[[{]/.test(oneLine))
    return JSON.stringify(value, undefined, 1)
      .replace(/\n\s*/g, ' ')
      .replace(/([[{]) /g, '$1')
      .replace(/ ([\]}])/g, '$1');
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((entry) => compactJson(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${compactJson(entry, inner)}`);
  const lines =
    entries.length > MANY && Array.isArray(value) ? filled(entries, WIDE - inner.length) : entries;
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
}

/** Entries one after the other, as many on a line as are no wider than this. */
function filled(entries, wide) {
  const lines = [];
  for (const entry of entries) {
    const longer = `${lines.at(-1)}, ${entry}`;
    if (lines.length > 0 && longer.length <= wide) lines[lines.length - 1] = longer;
    else lines.push(entry);
  }
  return lines;
}

export const made = (from) => `<!-- Made from ${from} by \`npm run docs\`. -->`;
