import fc from 'fast-check';
import t from 'tap';
import { escaped, legible, printable, printableWord } from '../../src/errors/printable.ts';
import { plainSentence } from '../plain-sentence.ts';

t.test('what a reader of formulas typed stands in a message as he typed it', async (t) => {
  for (const text of [
    ...[
      '(3 ± 0.1) m',
      '20 ℃',
      '45°',
      'ω_d',
      'Δx',
      'x²',
      'µm',
      'μm',
      'Å',
      '6·10⁻¹⁹',
      '√2',
      '½',
      '≤',
      'ünïcode',
    ],
    ...['ℏ', 'Ω', '−3', '“a”', '5 €', 'λ₀', 'ℓ'],
  ]) {
    t.equal(legible(text), text);
    t.match(text, plainSentence);
  }
  t.equal(printable('3 ± 0.1'), '"3 ± 0.1"');
  t.equal(printableWord('ω'), 'ω');
});

t.test('what could forge a line, move a cursor or pass for something else is escaped', async (t) => {
  for (const [text, shown] of [
    ['a\nb', String.raw`a\u{a}b`],
    ['\x1b[2J\u009b', String.raw`\u{1b}[2J\u{9b}`],
    ['\u202em', String.raw`\u{202e}m`],
    ['אב', String.raw`\u{5d0}\u{5d1}`],
    ['x\u0304', String.raw`x\u{304}`],
    ['\u00a0\u2009\u2028', String.raw`\u{a0}\u{2009}\u{2028}`],
    ['\u200b\u2060\ufeff\u2800\u3164', String.raw`\u{200b}\u{2060}\u{feff}\u{2800}\u{3164}`],
    ['\ud83d', String.raw`\u{d83d}`],
    ['а', String.raw`\u{430}`], // of the Cyrillic alphabet
    ['Α', String.raw`\u{391}`], // alpha
    ['say "a\\b"', String.raw`say \"a\\b\"`],
  ] as const)
    t.equal(legible(text), shown);
  t.equal(escaped('3 ± …'), String.raw`3 \u{b1} …`);
});

t.test('no text makes anything but a plain sentence', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => plainSentence.test(printable(text))),
    { numRuns: 3000 },
  );
});
