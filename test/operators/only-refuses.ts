import fc from 'fast-check';
import { Refusal } from '../../src/errors/refusal.ts';

/** Holds a reader of formula text to failing by a Refusal alone, whatever is made of these pieces or of any characters. */
export function onlyRefuses(read: (text: string) => unknown, pieces: readonly string[]): void {
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((list) => list.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        read(text);
      } catch (error) {
        return error instanceof Refusal;
      }
      return true;
    }),
    { numRuns: 3000 },
  );
}
