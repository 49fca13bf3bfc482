import type { Span } from './text.ts';

/**
 * A part of a request: values by dotted path; a number of the path is a place in a list. undefined: what is meant where
 * nothing is sent, so that nothing else may be said.
 */
export type Patch = Readonly<Record<string, unknown>>;

/** What words set: the first rule that matches a path sets it. */
export type Rule = readonly [pattern: RegExp, patch: Patch | ((match: RegExpExecArray) => Patch | undefined)];

/** What a special form of the text says, such as clauses or a linear programme. */
export interface Reading extends Span {
  readonly patch: Patch;
}

/** A pure number that fixes one input by others: R₀ = β/γ, Re = U·L/ν. */
export interface Ratio {
  readonly names: readonly string[];
  /** The input that follows from it. */
  readonly path: string;
  /** That input is the number to this power times these inputs. */
  readonly power: 1 | -1;
  readonly factors: readonly string[];
  /** What else the number may be, of what the text says; then it is refused. */
  readonly otherwise?: (number: number, given: (path: string) => unknown) => string | undefined;
}

/** Words that say that two inputs are one number, such as strike and spot at the money; one of the two is given. */
export interface Same {
  readonly pattern: RegExp;
  readonly paths: readonly [string, string];
}

/** What a thing is of changes no answer: what follows from it is given. */
export const materials =
  'copper steel iron aluminium aluminum brass bronze concrete glass wood nylon rock granite soil titanium silver gold lead brick plastic rubber';

/** How questions about one solver are worded. */
export interface Target {
  readonly id: string;
  /** Phrases that speak for this solver, with their weight; a longer one stands for the shorter ones inside it. */
  readonly phrases: Readonly<Record<string, number>>;
  /** Of the phrases those that name an input or a quantity: without a number or a rule they are not understood. */
  readonly asks?: readonly string[];
  /** Words that change no answer of this solver, such as what is modelled. */
  readonly idle?: string;
  /** What an answer does not use, beyond what the schema says (`usedWith`): given all the same, the question is another one. */
  readonly unused?: readonly { readonly when: Patch; readonly unused: readonly string[] }[];
  readonly rules?: readonly Rule[];
  readonly readings?: readonly ((text: string) => Reading | undefined)[];
  /**
   * Names of numbers by the path they go to: before the number, or `# name` after it. A name of one letter needs
   * ‘=’ or ‘is’ between; one with a capital is taken as it is written.
   */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /**
   * The inputs that are said in per cent, or per cent a year, by path: from which number on a plain one is doubtful. A rate of 5
   * is 500 %, and whoever writes it has 5 % in mind. Any other input is no share of something.
   */
  readonly shares?: Readonly<Record<string, number>>;
  /** The inputs that are angles, and when: a plain number beyond half a turn is more likely in degrees. */
  readonly angles?: readonly { readonly when: Patch; readonly path: string }[];
  readonly ratios?: readonly Ratio[];
  readonly same?: readonly Same[];
  /** Paths that a number without a name may go to, when its unit fits only one of them. */
  readonly byUnit?: readonly string[];
}
