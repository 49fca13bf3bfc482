import { printableWord } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';

/**
 * Two members of one name in one object (RFC 8259 §4 leaves open what that means, and JSON.parse takes the last): the
 * sender and whoever reads the text otherwise would mean two requests. A text with fewer fields after it was parsed
 * than it has colons lost one, so that only such a text is looked through name by name.
 *
 * @param fields colons outside of strings
 * @throws Refusal INVALID_INPUT with the field
 */
export function refuseRepeatedMembers(text: string, fields: number, parsed: unknown): void {
  if (fields < 2 || membersOf(parsed) === fields) return;
  const repeated = firstRepeated(text);
  if (repeated === undefined) return;
  const field = printableWord(repeated);
  throw new Refusal('INVALID_INPUT', `${field} is given twice; each field of an object is given once.`, {
    field,
  });
}

/** Members of all objects in a parsed value. */
function membersOf(parsed: unknown): number {
  let members = 0;
  const left = [parsed];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      // A list of numbers, which a long body mostly is, holds nothing to look into.
      for (const item of value) if (typeof item === 'object' && item !== null) left.push(item);
    } else {
      for (const name in value) {
        members++;
        left.push((value as Record<string, unknown>)[name]);
      }
    }
  }
  return members;
}

/** An open list or object: its members so far, and where the reader is in it. */
interface Open {
  readonly names: Set<string> | undefined;
  at: string | number;
}

/** Path of the first field of well-formed JSON that is there before, such as `supports[2].on`. */
function firstRepeated(text: string): string | undefined {
  const open: Open[] = [];
  let last = '';
  for (let i = 0; i < text.length; i++) {
    const inside = open.at(-1);
    const c = text[i];
    if (c === '"') {
      const end = endOfString(text, i);
      last = text.slice(i, end + 1);
      i = end;
    } else if (c === '{') open.push({ names: new Set(), at: '' });
    else if (c === '[') open.push({ names: undefined, at: 0 });
    else if (c === '}' || c === ']') open.pop();
    else if (c === ',' && typeof inside?.at === 'number') inside.at++;
    else if (c === ':' && inside?.names) {
      inside.at = JSON.parse(last) as string;
      if (inside.names.has(inside.at)) return pathOf(open);
      inside.names.add(inside.at);
    }
  }
  return undefined;
}

const pathOf = (open: readonly Open[]): string =>
  open
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '');

const QUOTE = 34;
const BACKSLASH = 92;

/** Index of the quote that ends the string at `start`; the length of the text where none does. */
export function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1); // many times faster than a look at each character
  if (end === -1) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) return i;
    if (c === BACKSLASH) i++;
  }
  return text.length;
}
