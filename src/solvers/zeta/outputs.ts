import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  mode: [null, 'What was asked.'],
  n: ['1', 'Number of the zero.'],
  bracket: ['1', 'Two heights between which the zero is.'],
  N: ['1', 'Zeros up to there.'],
  S: ['1', 'S(t) there.'],
  errorBound: ['1', 'Bound of the error of the value.'],
  reference: ['1', 'Z by Euler and Maclaurin.'],
  zeros: ['1', 'The zeros between t1 and t2, the first of them.'],
  zerosListed: ['1', 'How many of them stand here.'],
  N1: ['1', 'Zeros up to t1.'],
  N2: ['1', 'Zeros up to t2.'],
  S2: ['1', 'S(t2).'],
};
