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

/** JSON whose lists of numbers and words stand on one line each. */
export function compactJson(value, indent = '') {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const oneLine = JSON.stringify(value).replaceAll(',', ', ').replaceAll(':', ': ');
  if (oneLine.length + indent.length <= 96 && !/[[{].*[[{].*[[{]/.test(oneLine))
    return JSON.stringify(value, undefined, 1)
      .replace(/\n\s*/g, ' ')
      .replace(/([[{]) /g, '$1')
      .replace(/ ([\]}])/g, '$1');
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((entry) => compactJson(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${compactJson(entry, inner)}`);
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}\n${indent}${close}`;
}

export const made = (from) => `<!-- Made from ${from} by \`npm run docs\`. -->`;
