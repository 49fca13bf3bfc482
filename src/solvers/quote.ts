import type { Quote } from './solver.ts';

/** Work that a request is expected to take: that of its quote, where it is exact or nothing better is known. */
export const expectedWork = ({ work, expected = work }: Quote): number => Math.min(work, expected);
