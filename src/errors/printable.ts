const SHOWN = 60;

/**
 * A value as it may stand in a message: shortened, on one line, in characters that are seen as what they are. What a caller
 * sent must not be able to forge a log line, move a terminal's cursor or fill a page.
 */
export function printable(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value))
    return value.length === 1 ? 'a list of 1 item' : `a list of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'boolean' || value === null || value === undefined) return String(value);
  return `a ${typeof value}`;
}

function quoted(text: string): string {
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `"${legible(short)}"${text.length > SHOWN ? ` (${text.length} characters)` : ''}`;
}

/** The same for a bare word such as a field name, without quotes. */
export function printableWord(text: string): string {
  return legible(text.length > SHOWN + 1 ? `${text.slice(0, SHOWN)}…` : text);
}

/**
 * Text of any length as a reader of formulas knows it, ± and ℃ and ω, with everything else escaped: what turns the
 * direction, stands above other characters or cannot be seen, other scripts, and Greek letters that look like Latin ones.
 */
export function legible(text: string): string {
  return text.replace(
    /["\\]|(?! |(?![ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο])(?=[\p{L}\p{N}\p{P}\p{S}])[\p{Script=Latin}\p{Script=Greek}\p{Script=Common}])./gsu,
    escapedCharacter,
  );
}

/** The same with everything but printable ASCII escaped. */
export function escaped(text: string): string {
  return text.replace(/[^ -~…]|["\\]/gu, escapedCharacter);
}

function escapedCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
