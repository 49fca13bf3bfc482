import { printable, printableWord } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { accepts } from './accepts.ts';
import type { Node } from './schema.ts';

/** What is wrong with one field, before it is known where the field stands: containers add their key on the way out. */
export class Wrong extends Error {
  readonly path: (string | number)[] = [];
  readonly missing: boolean;
  readonly problem: string;
  readonly accepted: string;

  constructor(problem: string, accepted: string, missing = false) {
    super(problem);
    this.problem = problem;
    this.accepted = accepted;
    this.missing = missing;
  }

  within(key: string | number): this {
    this.path.unshift(key);
    return this;
  }

  refusal(): Refusal {
    const field = pathText(this.path);
    const message = `${field || 'The request'} ${this.problem}; accepted: ${this.accepted}.`;
    if (!this.missing) return new Refusal('INVALID_INPUT', message, { field, accepts: this.accepted });
    const inputError = { code: 'MISSING_INPUT', message, missing: field, accepts: [this.accepted] };
    return new Refusal('MISSING_INPUT', message, { field, accepts: this.accepted, inputError });
  }
}

/** Such as `supports[2].on.side`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += `${text && '.'}${printableWord(key)}`;
  }
  return text;
}

export function wrongValue(value: unknown, node: Node): Wrong {
  const problem = value === null ? 'is null, which is no value here' : `is ${printable(value)}`;
  return new Wrong(problem, accepts(node));
}
