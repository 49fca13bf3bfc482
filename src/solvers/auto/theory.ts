import type { Target } from './target.ts';
import { NUMERAL, numeralValue } from './text.ts';

// How questions about zeros of zeta and about lattice gauge theory are worded.

const ordinals = [
  'zeroth',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
  'twentieth',
];

const zeta: Target = {
  id: 'zeta',
  phrases: {
    zeta: 3,
    'riemann zeta': 5,
    'zeta function': 5,
    'riemann zeta function': 6,
    'zero of zeta': 5,
    'zeros of zeta': 5,
    'nontrivial zero': 4,
    'nontrivial zeros': 4,
    'non trivial zero': 4,
    'non trivial zeros': 4,
    'critical line': 4,
    'riemann hypothesis': 4,
    'riemann siegel': 5,
    'hardy z function': 5,
    'hardy z': 4,
  },
  idle: 'lie evaluate ζ',
  rules: [
    // The trivial ones are others.
    [/\bnon[- ]?trivial\b/i, {}],
    [/\bwhere is\b/i, {}],
    [/\b(?:how many|number of|count)(?: the)?(?: non-?trivial)? zeros\b/i, {}],
    [/\bN\s?\(\s?T\s?\)/, {}],
    [/\bhardy(?:['’]s)? Z\b/i, { mode: 'Z' }],
    [
      /\b(?:how many|number of|count)\b(?=[^.?]*\bzeros?\b)/i,
      (match) => (/\bbetween\b|\bfrom\b/i.test(match.input) ? { mode: 'zeros' } : { mode: 'count' }),
    ],
    [/\bzeros\b(?=[^.?]*\b(?:between|from)\b)/i, { mode: 'zeros' }],
    [
      new RegExp(
        String.raw`(${NUMERAL})(?:st|nd|rd|th)\s+(?:(?:non[- ]?trivial|riemann|zeta|critical)[\s-]+){0,4}?zero\b|\bzero\s+(?:number|no\.?|#|n\s*=)\s*(${NUMERAL})`,
        'i',
      ),
      ([, a, b]) => ({ mode: 'zero', n: numeralValue((a ?? b)!) }),
    ],
    [
      new RegExp(
        String.raw`\b(${ordinals.join('|')})\s+(?:(?:non[- ]?trivial|riemann|zeta|critical)[\s-]+){0,4}?zero\b`,
        'i',
      ),
      ([, word]) => ({ mode: 'zero', n: ordinals.indexOf(word!.toLowerCase()) }),
    ],
    [new RegExp(String.raw`\bZ\s*\(\s*(${NUMERAL})\s*\)`), ([, t]) => ({ mode: 'Z', t: numeralValue(t!) })],
    [/\bhardy\b|\briemann[- ]siegel\b(?: Z\b)?(?: function\b)?/i, { mode: 'Z' }],
    [/\b(?:imaginary part|ordinate|height)s?(?: of\b|(?= (?:below|under|up to|between|from)\b))/i, {}],
    [
      new RegExp(
        String.raw`\b(?:between|from)\s+(?:t\s*=\s*)?(${NUMERAL})\s+(?:and|to)\s+(?:t\s*=\s*)?(${NUMERAL})`,
        'i',
      ),
      ([, a, b]) => ({ t1: numeralValue(a!), t2: numeralValue(b!) }),
    ],
    [
      new RegExp(
        String.raw`\b(?:up to|below|under)\s+(?:(?:an? )?height\s+(?:of\s+)?|t\s*=\s*)?(${NUMERAL})`,
        'i',
      ),
      ([, T]) => ({ T: numeralValue(T!) }),
    ],
  ],
  names: {
    t: ['t', 'height', 'at'],
    n: ['n', 'index'],
    t1: ['t1'],
    t2: ['t2'],
    T: ['T'],
  },
};

const dimensions: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, 2: 2, 3: 3, 4: 4 };

const gauge: Target = {
  id: 'gauge',
  phrases: {
    'lattice gauge': 5,
    'lattice gauge theory': 6,
    'gauge theory': 4,
    plaquette: 5,
    'wilson loop': 5,
    'wilson action': 4,
    'su 2': 4,
    'u 1': 3,
    z2: 3,
    su2: 4,
    u1: 3,
    'lattice qcd': 4,
    'yang mills': 4,
  },
  idle: 'monte carlo toy gauge',
  rules: [
    [/\b(?:mean|average) plaquette\b/i, {}],
    [/\bSU\s?\(?2\)?/i, { group: 'SU2' }],
    [/\bU\s?\(?1\)?(?![\w])/i, { group: 'U1' }],
    [/\bZ\s?\(?2\)?(?![\w])|\bIsing gauge\b/i, { group: 'Z2' }],
    [
      /\b(\d+)\s*(?:x|×|by|\*)\s*(\d+)\s+(?:wilson\s+)?loop\b/i,
      ([, a, b]) => ({ loop: [Number(a), Number(b)] }),
    ],
    [/\bloop\s+(?:of\s+)?(\d+)\s*(?:x|×|by|\*)\s*(\d+)/i, ([, a, b]) => ({ loop: [Number(a), Number(b)] })],
    [
      /(?<!\d\s*(?:x|×|by|\*)\s*)\b(\d+)\s*(?:x|×|by|\*)\s*(\d+)\s+(?:periodic\s+)?(?:lattice|torus|grid)\b/i,
      ([, a, b]) => (a === b ? { L: Number(a), d: 2 } : undefined),
    ],
    // 8^4, 4x4x4: as many dimensions as edges.
    [
      /\b(\d+)\^(\d)\s+(?:periodic\s+)?(?:lattice|torus|grid)\b/i,
      ([, edge, d]) => ({ L: Number(edge), d: Number(d) }),
    ],
    [
      /\b(\d+)((?:\s*[x×*]\s*\1(?!\d)){2,})\s+(?:periodic\s+)?(?:lattice|torus|grid)\b/i,
      ([, edge, others]) => ({ L: Number(edge), d: 1 + others!.match(/[x×*]/g)!.length }),
    ],
    [/\b(two|three|four|[234])[- ]?d(?:imension\w*)?\b/i, ([, d]) => ({ d: dimensions[d!.toLowerCase()] })],
  ],
  names: {
    beta: ['beta', 'β', 'inverse coupling', 'coupling beta'],
    L: ['L', 'size', 'lattice size', '# sites per edge'],
    sweeps: ['sweeps', '# sweeps'],
    seed: ['seed'],
  },
};

export const theory: readonly Target[] = [zeta, gauge];
