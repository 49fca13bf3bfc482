/**
 * JSON as RFC 8785 §3.1 takes it (I-JSON, RFC 7493): no member is named twice, texts are whole Unicode, numbers are
 * finite. JSON.parse would keep the last of two members of one name, and another reader shows the first: one file
 * would then say two things. Nesting is bounded, so that no reader runs out of stack.
 */
export const MAX_NESTING = 100;

/** Throws a SyntaxError that says what is wrong and at which character. */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text); // from here on the syntax is known to be right
  new Scan(text).run();
  return value;
}

const loneSurrogate = /\p{Cs}/u;
const numeral = /[-+.0-9eE]+/y;

/** One pass over a well-formed text: what JSON.parse lets through and I-JSON does not. */
class Scan {
  readonly #text: string;
  /** Names of each open object; an open list has none. */
  readonly #open: (Set<string> | undefined)[] = [];
  #lastString = '';
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    for (; this.#at < this.#text.length; this.#at++) this.#character(this.#text[this.#at]!);
  }

  #character(character: string): void {
    if (character === '"') this.#string();
    else if (character === ':') this.#name(this.#lastString);
    else if (character === '{') this.#nest(new Set());
    else if (character === '[') this.#nest(undefined);
    else if (character === '}' || character === ']') this.#open.pop();
    else if (character === '-' || (character >= '0' && character <= '9')) this.#number();
  }

  /** Goes to the closing quote by indexOf: a bundle holds texts of many MiB. */
  #string(): void {
    let end = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    const piece = this.#text.slice(this.#at + 1, end);
    this.#lastString = piece.includes('\\') ? (JSON.parse(`"${piece}"`) as string) : piece;
    if (loneSurrogate.test(this.#lastString)) this.#refuse('half of a surrogate pair');
    this.#at = end;
  }

  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#text[first - 1] === '\\') first--;
    return (at - first) % 2 === 1;
  }

  #number(): void {
    numeral.lastIndex = this.#at;
    const [digits] = numeral.exec(this.#text)!;
    if (!Number.isFinite(Number(digits))) this.#refuse(`${digits.slice(0, 40)} is no finite double`);
    this.#at += digits.length - 1;
  }

  #name(name: string): void {
    const names = this.#open[this.#open.length - 1];
    if (names?.has(name)) this.#refuse(`a second member called ${JSON.stringify(name.slice(0, 40))}`);
    names?.add(name);
  }

  #nest(names: Set<string> | undefined): void {
    if (this.#open.push(names) > MAX_NESTING) this.#refuse(`nested deeper than ${MAX_NESTING} levels`);
  }

  #refuse(what: string): never {
    throw new SyntaxError(`${what} at character ${this.#at}`);
  }
}
