import type { TSchema } from 'typebox';

/** Choices beside a field, each with the words of it that go with the field: {mode: ['invade']}. */
export type Choices = Readonly<Record<string, readonly unknown[]>>;

/** A request schema's node, as far as the reader knows it: JSON Schema with the keywords of `../input.ts`. */
export interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly unit?: string;
  /** What decided the unit. */
  readonly with?: string;
  readonly temperature?: 'difference' | 'either';
  readonly blob?: 'f64' | 'i32' | 'u8';
  readonly decimal?: boolean;
  readonly nested?: boolean;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Node | readonly Node[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  /** Of a choice that may be absent: which it is then. */
  readonly default?: unknown;
  /** Of a field that not every choice beside it uses: with which it goes, any one of them. */
  readonly usedWith?: readonly Choices[];
  /** Of a number whose unit a choice at the top of the request decides. */
  readonly unitBy?: UnitBy;
}

/** With another word of the choice, or none, the unit is the first of the alternatives. */
export interface UnitBy {
  readonly choice: string;
  readonly units: Readonly<Record<string, string>>;
}

export const nodeOf = (schema: TSchema): Node => schema as Node;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The units a number may be given in, that of plain numbers first. */
export const unitsOf = (node: Node): readonly string[] => (node.unit ?? '1').split(' or ');

/** The node with the unit that the request's choices leave it. */
export function unitDecided(node: Node, request: Readonly<Record<string, unknown>>): Node {
  if (node.unitBy === undefined) return node;
  const { choice, units } = node.unitBy;
  const word = request[choice];
  const unit = typeof word === 'string' && Object.hasOwn(units, word) ? units[word]! : unitsOf(node)[0]!;
  return { ...node, unit, ...(typeof word === 'string' && { with: `${choice} ${word}` }) };
}

/** Whether a number with a unit stays as it was sent: in any unit, or where a unit of its own is only the usual one. */
export const keepsUnit = (node: Node): boolean => unitsOf(node).at(-1) === 'any';

/** The schema of the values of an object whose names are open, such as `inputs` of compute. */
export const openValues = (node: Node): Node | undefined => Object.values(node.patternProperties ?? {})[0];

/** The words that a field takes, where it takes nothing else. */
export const wordsOf = (node: Node): readonly unknown[] | undefined =>
  node.const === undefined ? node.enum : [node.const];
