import type { Span } from './text.ts';

/** A part of a request: values by dotted path; a number of the path is a place in a list. */
export type Patch = Readonly<Record<string, unknown>>;

/** What words set: the first rule that matches a path sets it. */
export type Rule = readonly [pattern: RegExp, patch: Patch | ((match: RegExpExecArray) => Patch | undefined)];

/** What a special form of the text says, such as clauses or a linear programme. */
export interface Reading extends Span {
  readonly patch: Patch;
}

/** How questions about one solver are worded. */
export interface Target {
  readonly id: string;
  /** Phrases that speak for this solver, with their weight; a longer one stands for the shorter ones inside it. */
  readonly phrases: Readonly<Record<string, number>>;
  readonly rules?: readonly Rule[];
  readonly readings?: readonly ((text: string) => Reading | undefined)[];
  /**
   * Names of numbers by the path they go to: before the number, or `# name` after it. A name of one letter needs
   * ‘=’ or ‘is’ between; one with a capital is taken as it is written.
   */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Paths that a number without a name may go to, when its unit fits only one of them. */
  readonly byUnit?: readonly string[];
}
