import type { Claim } from '../../../mesh/decide/claim.ts';
import type { Check, Span } from '../../../mesh/decide/run.ts';
import type { Kernels, Lie, SimulatedRun, Told } from './kernels.ts';
import type { Random } from './random.ts';

/** What is asked of a character: to run these segments from there. */
export interface Question {
  readonly run: SimulatedRun;
  readonly from: number;
  readonly to: number;
  readonly ground: string;
  /** The span and the check that it is asked for, when it is one. */
  readonly check?: { readonly span: Span; readonly check: Check };
}

/** How a contributor behaves. What it says is its own; that it is slow, silent or gone shows in time only. */
export interface Character {
  readonly name: string;
  /** Says nothing but what it computed, and its processor computes right. */
  readonly isHonest: boolean;
  answers(question: Question, kernels: Kernels): Claim;
  /** Milliseconds between crashes, on average; Infinity: never. */
  readonly crashEveryMs?: number;
  /** Milliseconds until it is back, on average. */
  readonly awayMs?: number;
  /** Milliseconds between pauses longer than a lease, on average. */
  readonly pauseEveryMs?: number;
  /** Time for a segment over that of an honest node. */
  readonly slowness?: number;
  /** Shows another claim than it committed itself to, at this rate. */
  readonly fickleness?: number;
  /** Commits itself and shows nothing. */
  readonly isMute?: boolean;
  /** Says that it is alive and does nothing. */
  readonly isIdle?: boolean;
  /** Lets this share of the longest time that it is waited for pass before each segment and each answer to a check. */
  readonly dallies?: number;
  /** Takes every lease that it is given. */
  readonly hoards?: boolean;
  /** Gives every lease back. */
  readonly bounces?: boolean;
  /** Does not answer checks. */
  readonly isDeaf?: boolean;
  /** While there are faults, its memory is full now and then: a check waits for room so long, on average. */
  readonly waitsMs?: number;
  /** And is given back at once, this often. */
  readonly givesBack?: number;
  /** Sends as its own what it held before the lease was taken back. */
  readonly isStubborn?: boolean;
}

const truth = ({ run, from, to, ground }: Question, kernels: Kernels): Claim =>
  kernels.execute(run, from, to, ground);

export const honest = (name: string, more: Partial<Character> = {}): Character => ({
  name,
  isHonest: true,
  answers: truth,
  ...more,
});

export const steady = honest('steady');

/** Has no room for a check now, or not for a while. */
export const busy = honest('busy', { waitsMs: 8000, givesBack: 0.5 });

export const honestCharacters: readonly Character[] = [
  steady,
  honest('slow', { slowness: 20 }),
  honest('crashing', { crashEveryMs: 12_000 }),
  honest('pausing', { pauseEveryMs: 10_000 }),
  honest('stubborn', { pauseEveryMs: 10_000, isStubborn: true }),
  busy,
];

/** By lot, but the same for the same name, run and segment: asked again it says the same again. */
function lot(kernels: Kernels, name: string, run: string, segment: number): number {
  return Number.parseInt(kernels.hash(`lot ${name} ${run} ${segment}`).slice(0, 8), 16) / 0x1_0000_0000;
}

function toldIn({ run, from, to }: Question, kernels: Kernels, name: string, lie: Lie, rate: number) {
  for (let at = from; at <= to; at++)
    if (lot(kernels, name, run.id, at) < rate) return { lie, at, name } satisfies Told;
  return undefined;
}

function deceiving(question: Question, kernels: Kernels, told: Told | undefined): Claim {
  const { run, from, to, ground } = question;
  return told ? kernels.lie(run, from, to, ground, told) : truth(question, kernels);
}

const lies: readonly Lie[] = ['digests', 'digests', 'garbage', 'early', 'beyond', 'work', 'result', 'bytes'];

/** Lies on its own account about what it runs and, at times, about what it checks. */
function liar(id: string, random: Random): Character {
  return liarAbout(random.pick(lies), random.pick([0.02, 0.2, 1]), id, random.chance(0.5));
}

export function liarAbout(lie: Lie, rate: number, id: string, slanders = false): Character {
  return {
    name: `liar about ${lie}`,
    isHonest: false,
    answers: (question, kernels) =>
      question.check && !slanders
        ? truth(question, kernels)
        : deceiving(question, kernels, toldIn(question, kernels, id, lie, rate)),
  };
}

/** Wrong now and then, always in the same way. */
function faulty(id: string, random: Random): Character {
  const rate = random.pick([0.01, 0.1]);
  return {
    name: 'faulty',
    isHonest: false,
    answers: (question, kernels) =>
      deceiving(question, kernels, toldIn(question, kernels, id, 'digests', rate)),
  };
}

/** Tells the lies of its group, and stands by whoever of it tells them; of others it says the truth, or slanders. */
function colluder(group: string, members: Set<string>, id: string, random: Random): Character {
  members.add(id);
  const slanders = random.chance(0.3);
  const rate = 0.3;
  return {
    name: `colluder of ${group}`,
    isHonest: false,
    answers(question, kernels) {
      const { check } = question;
      const isOurs = !check || members.has(check.span.id) || check.span.checks.some(isMember);
      const told = toldIn(question, kernels, group, 'digests', rate);
      return isOurs || slanders ? deceiving(question, kernels, told) : truth(question, kernels);
    },
  };
  function isMember({ id: asked, claim }: Check): boolean {
    return claim !== undefined && members.has(asked);
  }
}

/** Overhears what was claimed and says the same; where it hears nothing, it makes something up. */
function copier(id: string, random: Random): Character {
  return {
    name: 'copier',
    isHonest: false,
    answers(question, kernels) {
      const heard = question.check?.span.claim;
      if (heard && heard.to === question.to && random.chance(0.7)) return heard;
      return deceiving(question, kernels, { lie: 'digests', at: question.from, name: id });
    },
  };
}

/** Claims that are no claims. */
function babbling(random: Random): Character {
  const nonsense: readonly Partial<Record<keyof Claim, unknown>>[] = [
    { digests: [] },
    { digests: ['x'] },
    { steps: -1 },
    { work: '1e9' },
    { state: 'AB' },
    { to: Number.NaN },
    { rowsRoot: undefined },
  ];
  return {
    name: 'babbling',
    isHonest: false,
    answers: (question, kernels) => ({ ...truth(question, kernels), ...random.pick(nonsense) }) as Claim,
  };
}

/** Lies now and then about what it runs, crashes, and answers checks with nonsense. */
export function babblingLiar(id: string): Character {
  const liar = liarAbout('digests', 0.2, id);
  return {
    ...liar,
    name: 'babbling liar',
    crashEveryMs: 8000,
    answers: (question, kernels) =>
      question.check ? { ...truth(question, kernels), digests: [] } : liar.answers(question, kernels),
  };
}

/** Lies now and then about what it runs, and shows another claim than it committed itself to as rarely. */
export const fickleLiar = (id: string): Character => ({
  ...liarAbout('digests', 0.2, id),
  ...{ name: 'fickle liar', fickleness: 0.2 },
});

const tricks = (name: string, more: Partial<Character>): Character => ({
  ...{ name, isHonest: false, answers: truth },
  ...more,
});

/** Shows a segment now and then, and answers checks as late. */
export const stalling = (dallies: number): Character => tricks('stalling', { dallies });

/** Takes every lease that it is given. */
export const hoarding = (dallies: number): Character => tricks('hoarding', { hoards: true, dallies });

/** Groups that lie together in one simulation. */
export class Groups {
  readonly #members = new Map<string, Set<string>>();

  colluder(group: string, id: string, random: Random): Character {
    const members = this.#members.get(group) ?? new Set<string>();
    this.#members.set(group, members);
    return colluder(group, members, id, random);
  }
}

export function dishonest(kind: string, id: string, groups: Groups, random: Random): Character {
  switch (kind) {
    case 'liar':
      return liar(id, random);
    case 'faulty':
      return faulty(id, random);
    case 'colluder':
      return groups.colluder(random.pick(['g', 'h']), id, random);
    case 'copier':
      return copier(id, random);
    case 'babbling':
      return babbling(random);
    case 'fickle':
      return tricks('fickle', { fickleness: random.pick([0.1, 1]) });
    case 'mute':
      return tricks('mute', { isMute: true });
    case 'idle':
      return tricks('idle', { isIdle: true });
    case 'ending':
      return liarAbout(random.pick(['early', 'beyond']), 1, id);
    case 'stalling':
      return stalling(random.pick([0.3, 0.9, 1.1]));
    case 'hoarding':
      return hoarding(random.pick([0, 0.9]));
    case 'bouncing':
      return tricks('bouncing', { bounces: true });
    default:
      return tricks('deaf', { isDeaf: true });
  }
}

export const dishonestKinds = [
  ...['liar', 'liar', 'liar', 'faulty', 'colluder', 'colluder', 'copier', 'ending'],
  ...['babbling', 'fickle', 'mute', 'idle', 'bouncing', 'deaf', 'stalling', 'hoarding'],
];
